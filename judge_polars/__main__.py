"""`python -m judge_polars` is the command `judge-polars`."""

from judge_polars.cli import main

if __name__ == "__main__":
    main()
