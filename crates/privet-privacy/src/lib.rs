//! The trusted base: the only crate that opens a secret or draws privacy noise.
