"""Is QA right? Its verdicts on copies of finished work, with known faults in them and without."""
