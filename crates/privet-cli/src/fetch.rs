//! Gets benchmark files.
