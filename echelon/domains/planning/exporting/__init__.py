"""Writing schedules: for calendars, for project programs, for spreadsheets, for people."""
