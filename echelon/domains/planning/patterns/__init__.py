"""The five canonical patterns of plans, their templates, and the grammar that an outline keeps."""
