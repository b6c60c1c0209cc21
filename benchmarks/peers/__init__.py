"""Ten text rules on stored outputs, by judge_polars and by its peers."""
