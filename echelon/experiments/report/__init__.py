"""The report of an experiment: a page that stands alone, tables, and everything that is needed to repeat it."""
