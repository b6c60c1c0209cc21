"""Rules over facts and documents -> results: one file per kind."""
