//! Why two numbers disagree, as text.

mod text;

pub use text::{markdown, plain};
