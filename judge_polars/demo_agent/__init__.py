"""A small scripted agent that speaks the Agent Client Protocol: `python -m judge_polars.demo_agent` (specification 80).

It diagnoses what is recorded in its workspace by a few plain rules, and misbehaves on request.  It is a peer for the demo
and the tests, knows nothing of the judge, and imports nothing of it.
"""
