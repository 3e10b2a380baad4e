"""From a project to a schedule: calendars, serial schedules, the constraint model, its own process."""
