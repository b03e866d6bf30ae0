//! Writing: a whole dataset or nothing, by way of a temporary file.
