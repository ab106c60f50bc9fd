//! The screens, one a file.

pub mod compare;
pub mod curves;
pub mod distributions;
pub mod explain;
pub mod first;
pub mod goodput;
pub mod library;
pub mod quality;
pub mod report;
pub mod requests;
pub mod server;
