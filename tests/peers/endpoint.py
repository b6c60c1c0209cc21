"""A small OpenAI-compatible endpoint on the loopback interface that streams what a script says.

Asked with tools, it calls `write` once for each file of its script; given the results, it answers with a text.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

TITLE = "A title"


@dataclass
class Script:
    """What the model does.

    Attributes:
        files: path in the workspace -> content, written by tool calls.
        answer: the text after that.
        status: HTTP status that is answered instead, 200 for none.
        asked: bodies of the requests, in order.
    """

    files: Mapping[str, str]
    answer: str
    status: int = 200
    asked: list[dict[str, Any]] = field(default_factory=list)

    def deltas(self, request: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
        """The pieces of the next message."""
        if not request.get("tools"):
            yield {"content": TITLE}
        elif request["messages"][-1]["role"] == "tool":
            half = len(self.answer) // 2
            yield {"content": self.answer[:half]}
            yield {"content": self.answer[half:]}
        else:
            for index, (path, content) in enumerate(self.files.items()):
                call = {"name": "write", "arguments": json.dumps({"filePath": path, "content": content})}
                yield {"tool_calls": [{"index": index, "id": f"call_{index}", "type": "function", "function": call}]}


@contextmanager
def serving(script: Script) -> Iterator[str]:
    """The base URL of an endpoint that follows the script."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            script.asked.append(request)
            if script.status != 200:
                self._send("application/json", json.dumps({"error": {"message": "not now"}}).encode())
                return
            deltas = list(script.deltas(request))
            finish = "tool_calls" if "tool_calls" in deltas[0] else "stop"
            usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
            chunks = [
                _chunk({"role": "assistant", **deltas[0]}),
                *(_chunk(delta) for delta in deltas[1:]),
                {**_chunk({}, finish), "usage": usage},
            ]
            body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
            self._send("text/event-stream", body.encode())

        def _send(self, kind: str, body: bytes) -> None:
            self.send_response(script.status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *arguments: object) -> None:
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _chunk(delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": [choice]}
