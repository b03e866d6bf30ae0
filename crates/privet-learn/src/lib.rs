//! Turns released data into embeddings and models.
