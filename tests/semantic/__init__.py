"""Tests of the semantic shadow."""
