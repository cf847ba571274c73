//! Training: word counts in, vocabularies out.
