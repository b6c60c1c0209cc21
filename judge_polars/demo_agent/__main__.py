"""`python -m judge_polars.demo_agent [--misbehave WAY]…`: the agent on its standard streams."""

from __future__ import annotations

import argparse
import sys

from judge_polars.demo_agent.misbehaviour import WAYS, after_ending, before_reading


def parsed(arguments: list[str] | None = None) -> frozenset[str]:
    """The ways in which to misbehave."""
    listed = "\n".join(f"  {name:18}{meaning}" for name, meaning in WAYS.items())
    parser = argparse.ArgumentParser(
        prog="python -m judge_polars.demo_agent",
        description="A scripted agent that speaks the Agent Client Protocol over stdio.",
        epilog=f"ways to misbehave:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--misbehave", action="append", default=[], choices=sorted(WAYS), metavar="WAY", help="repeatable"
    )
    return frozenset(parser.parse_args(arguments).misbehave)


def main() -> None:
    """Talk until the client closes the connection."""
    ways = parsed()
    before_reading(ways)
    try:
        import asyncio
        from typing import cast

        from acp import run_agent
        from acp.interfaces import Agent

        from judge_polars.demo_agent.agent import DemoAgent
    except ImportError:
        sys.exit("the demo agent needs the extra acp: pip install 'judge-polars[acp]'")
    asyncio.run(run_agent(cast(Agent, DemoAgent(ways))))
    after_ending(ways)


if __name__ == "__main__":
    main()
