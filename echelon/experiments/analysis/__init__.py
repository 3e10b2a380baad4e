"""From the results of the trials to what may be said of the arms."""
