"""Other libraries with piecework inside; each module needs the library that it is named after."""
