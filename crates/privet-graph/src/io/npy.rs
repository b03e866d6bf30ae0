//! numpy `.npy` arrays: the header, and numbers of every plain type.
