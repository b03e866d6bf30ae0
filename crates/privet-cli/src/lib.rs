//! The command `privet`, as a library so that its parts can be tested.
