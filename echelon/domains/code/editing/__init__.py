"""Reading with numbers, searching, exact edits, patches, and a syntax check after each."""
