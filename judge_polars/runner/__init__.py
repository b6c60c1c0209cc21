"""The runner: executes suites against agents that speak the Agent Client Protocol over stdio (specification 80).

`plan` says what would be done, `eval_run` does it; the protocol's SDK (extra `acp`) is imported by `session` and below.
"""
