//! The command's entry.

fn main() {}
