"""Planning: projects with calendars and resources, schedules that can be kept, and what gives when there is none."""
