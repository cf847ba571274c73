//! Split patterns: parsed once, run as scanners over bytes where their form permits, on a general engine otherwise.
