//! The command's entry.

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    use sameruler::cli::{Streams, run};
    use std::io::{self, BufWriter, IsTerminal as _};

    let stderr = io::stderr();
    let exit = run(
        std::env::args_os(),
        &mut Streams {
            input: &mut io::stdin().lock(),
            out: &mut BufWriter::new(io::stdout().lock()),
            terminal: stderr.is_terminal(),
            err: &mut stderr.lock(),
            today: today(),
        },
    );
    std::process::ExitCode::from(exit as u8)
}

/// Today's date in UTC, as `2026-11-29`.
#[cfg(not(target_arch = "wasm32"))]
fn today() -> String {
    #[expect(
        clippy::disallowed_methods,
        reason = "the command runs natively and is the shell that passes time in"
    )]
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    sameruler::cli::date(since.map_or(0, |since| since.as_secs() / 86_400))
}

/// The command exists only outside of browsers.
#[cfg(target_arch = "wasm32")]
fn main() {}
