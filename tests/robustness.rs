//! Damaged files never panic: cut, flipped and spliced fixtures are read or refused.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test is the point of a test")]

use proptest::prelude::*;
use sameruler::formats;
use std::path::Path;
use std::sync::LazyLock;

/// All fixtures small enough to be damaged a thousand times.
static SEEDS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let folders = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = folders
        .filter(|path| path.is_dir())
        .flat_map(|folder| std::fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files.into_iter().map(|path| std::fs::read(path).unwrap()).filter(|b| b.len() < 8_000).collect()
});

fn seed() -> impl Strategy<Value = &'static Vec<u8>> {
    (0..SEEDS.len()).prop_map(|at| &SEEDS[at])
}

/// Reads a file and looks at everything that came out.
fn read(bytes: &[u8]) -> usize {
    match formats::read("damaged", bytes, &mut |_| {}) {
        Ok(runs) => runs.iter().map(|run| format!("{run:?}").len()).sum(),
        Err(error) => error.to_string().len() + error.advice().len(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..Default::default() })]

    #[test]
    fn cut_files(bytes in seed(), at in any::<prop::sample::Index>()) {
        prop_assert!(read(&bytes[..at.index(bytes.len() + 1)]) > 0);
    }

    #[test]
    fn flipped_bits(
        bytes in seed(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..8), 1..6),
    ) {
        let mut bytes = bytes.clone();
        for (at, bit) in flips {
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] ^= 1 << bit;
            }
        }
        prop_assert!(read(&bytes) > 0);
    }

    #[test]
    fn spliced_files(
        one in seed(),
        other in seed(),
        cut in any::<prop::sample::Index>(),
        from in any::<prop::sample::Index>(),
    ) {
        let mut bytes = one[..cut.index(one.len() + 1)].to_vec();
        bytes.extend_from_slice(&other[from.index(other.len() + 1)..]);
        prop_assert!(read(&bytes) > 0);
    }

    #[test]
    fn any_text(text in "[\\[\\]{}\",:0-9a-zN\\-\\. \n]{0,200}") {
        prop_assert!(read(text.as_bytes()) > 0);
    }

    #[test]
    fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert!(read(&bytes) > 0);
    }
}

#[test]
fn every_prefix_of_a_result_is_read_or_refused() {
    let whole = SEEDS.iter().find(|bytes| bytes.starts_with(b"{\"date\"")).unwrap();
    for end in 0..whole.len() {
        assert!(read(&whole[..end]) > 0);
    }
}
