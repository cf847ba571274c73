"""Foreign files: how they are read, and written where the format can hold what is to be written."""
