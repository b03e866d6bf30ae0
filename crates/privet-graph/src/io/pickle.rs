//! A pickle reader that knows the opcodes of published graph files and nothing else.
