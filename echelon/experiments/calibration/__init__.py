"""Is QA right? Known faults in finished work, and right work in an unusual form."""
