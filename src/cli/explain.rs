//! `explain`: why two numbers disagree, and with `--number` where a number comes from.

mod bridge;
mod library;
mod number;
mod sides;

use super::args;
use super::{Exit, Failure, Streams};

/// Runs the subcommand.
pub(super) fn run(args: &args::Explain, streams: &mut Streams<'_>) -> Result<Exit, Failure> {
    if args.number.is_empty() { bridge::run(args, streams) } else { number::run(args, streams) }
}
