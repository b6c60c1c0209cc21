"""What is kept of judgments, and the SQL views over it; the only room that imports duckdb."""
