//! Features and labels from files of their own, matched to nodes by id or by position.
