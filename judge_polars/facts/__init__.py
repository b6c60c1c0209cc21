"""Documents -> facts: one file per family."""
