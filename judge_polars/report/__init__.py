"""Judgments as files and texts: one file per output format; nothing here prints or decides."""
