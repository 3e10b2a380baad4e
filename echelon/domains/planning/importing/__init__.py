"""Reading task lists, calendars and resources. Whatever is wrong is said in one sentence that names its place."""
