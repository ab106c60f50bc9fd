//! Damaged files never panic and never allocate without bound: every fixture of every format and every
//! archive is cut, flipped, spliced, nested and given impossible numbers, and is read or refused.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed test is the point of a test")]
#![allow(unsafe_code, reason = "an allocator that counts can't be written without")]

use proptest::prelude::*;
use sameruler::archives::Kind;
use sameruler::engine::import::import;
use sameruler::engine::{ByteSource, Imported};
use sameruler::model::{Run, dump_pack, pack};
use sameruler::notice::Notices;
use sameruler::prometheus::{self, Pages};
use sameruler::stats::increase;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::LazyLock;

/// Counts what each thread holds, and the most it ever held.
struct Counting;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn count(change: isize) {
    // A thread that ends has no counters any more.
    let _ = HELD.try_with(|held| {
        held.set(held.get() + change);
        let _ = MOST.try_with(|most| most.set(most.get().max(held.get())));
    });
}

unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// What reading may hold at most: copies and columns of the file, the buffers of a stream, and the
/// window that a Zstandard frame may ask for.
fn allowed(bytes: &[u8]) -> isize {
    let archive = Kind::of(bytes).is_some() || bytes.windows(4).any(|w| w == b"\x28\xb5\x2f\xfd");
    let buffers = if archive { 300 << 20 } else { 8 << 20 };
    buffers + 400 * bytes.len() as isize
}

/// All fixtures with their names.
static FIXTURES: LazyLock<Vec<(String, Vec<u8>)>> = LazyLock::new(|| {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let folders = std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = folders
        .filter(|path| path.is_dir())
        .flat_map(|folder| std::fs::read_dir(folder).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .collect();
    files.sort();
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    files.iter().map(|path| (name(path), std::fs::read(path).unwrap())).collect()
});

fn open(mut bytes: &[u8]) -> Imported {
    import("damaged", &mut bytes, false, &mut |_, done, total, _| assert!(done <= total))
}

/// Reads a file and looks at everything that came out, and at what it took.
fn read(bytes: &[u8]) -> usize {
    MOST.set(HELD.get());
    let before = HELD.get();
    let Imported { runs, dumps, opened, refused } = open(bytes);
    let held = MOST.get() - before;
    assert!(held <= allowed(bytes), "{held} bytes held for {} bytes", bytes.len());
    let runs: usize = runs.iter().map(|run| format!("{run:?}").len()).sum();
    let series: usize = dumps.iter().map(|server| server.dump.series.len()).sum();
    for server in &dumps {
        let packed = dump_pack::encode(server).unwrap();
        assert_eq!(dump_pack::decode(&packed).unwrap().points(), server.points());
    }
    let opened: usize = opened.iter().map(|opened| format!("{opened:?}").len()).sum();
    runs + series
        + opened
        + refused.iter().map(|refusal| refusal.error.len() + refusal.advice.len()).sum::<usize>()
}

/// Numbers that repeat from run to run: a failure can be looked at again.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % most.max(1) as u64) as usize
    }
}

/// Values that no tool means.
const IMPOSSIBLE: [&str; 12] = [
    "1e999",
    "-1e308",
    "99999999999999999999",
    "-1",
    "18446744073709551615",
    "1e-320",
    "NaN",
    "null",
    "\"\"",
    "[[[[]]]]",
    "{\"a\": [1]}",
    "9223372036854775807",
];

fn damaged(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let at = dice.below(bytes.len() + 1);
    match dice.below(8) {
        0 => bytes.truncate(at),
        1 => {
            for _ in 0..=dice.below(6) {
                let at = dice.below(bytes.len());
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << dice.below(8);
                }
            }
        }
        2 => {
            let (_, other) = &FIXTURES[dice.below(FIXTURES.len())];
            bytes.truncate(at);
            let from = dice.below(other.len() + 1);
            bytes.extend(other[from..].iter().take(20_000));
        }
        3 => {
            let deep = [&b"["[..], b"{\"a\":", b"((", b"\"\\"][dice.below(4)].repeat(3_000);
            bytes.splice(at..at, deep);
        }
        // Another value in place of a number.
        4 | 5 => {
            let digit = |at: &usize| bytes[*at].is_ascii_digit();
            if let Some(start) = (at..bytes.len()).find(digit) {
                let part = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'.' | b'e' | b'-');
                let length = bytes[start..].iter().take_while(part).count();
                let value = IMPOSSIBLE[dice.below(IMPOSSIBLE.len())].bytes();
                bytes.splice(start..start + length, value);
            }
        }
        // A field of a header that claims all there could be.
        6 => {
            let end = (at + [2, 4, 8][dice.below(3)]).min(bytes.len());
            bytes[at..end].fill(if dice.below(2) == 0 { 0xff } else { 0x7f });
        }
        _ => {
            let end = (at + dice.below(2_000)).min(bytes.len());
            let piece = bytes[at..end].to_vec();
            bytes.splice(at..at, piece);
        }
    }
    bytes
}

/// Reads each fixture damaged in many ways; the larger the fewer.
fn damage(archives: bool) {
    for (name, bytes) in FIXTURES.iter().filter(|(_, bytes)| Kind::of(bytes).is_some() == archives)
    {
        let mut dice = Dice(0x9e37_79b9_7f4a_7c15 ^ bytes.len() as u64);
        let times = (60_000 / (bytes.len() + 2_000)).clamp(1, 24);
        for time in 0..times {
            let damaged = damaged(bytes, &mut dice);
            assert!(read(&damaged) > 0, "{name}, {time}");
        }
    }
}

#[test]
fn damaged_results_are_read_or_refused() {
    damage(false);
}

#[test]
fn damaged_archives_are_read_or_refused() {
    damage(true);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..Default::default() })]

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
fn every_prefix_of_a_result_and_of_an_archive_is_read_or_refused() {
    let start = |start: &'static [u8]| {
        let fits = |bytes: &&Vec<u8>| bytes.starts_with(start) && bytes.len() < 8_000;
        FIXTURES.iter().map(|(_, bytes)| bytes).find(fits).unwrap()
    };
    for whole in [start(b"{\"date\""), start(b"PK\x03\x04"), start(b"\x1f\x8b"), start(b"\x28\xb5")]
    {
        for end in 0..whole.len() {
            assert!(read(&whole[..end]) > 0);
        }
    }
}

/// A source that hands out at most so many bytes at a time.
struct Pieces<'a>(&'a [u8], usize);

impl ByteSource for Pieces<'_> {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }
    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<usize, String> {
        let most = self.1.min(into.len());
        self.0.read_at(offset, &mut into[..most])
    }
}

#[test]
fn a_file_in_odd_pieces_is_the_same_run() {
    // Bytes of packs, since a run may hold NaN, which equals nothing.
    let packs =
        |runs: &[Run]| runs.iter().map(|run| pack::encode(run).unwrap()).collect::<Vec<_>>();
    for (name, bytes) in FIXTURES.iter() {
        let whole = open(bytes);
        for size in [7, 4_097] {
            let pieces = import("damaged", &mut Pieces(bytes, size), false, &mut |_, _, _, _| {});
            assert_eq!(packs(&pieces.runs), packs(&whole.runs), "{name} by {size}");
            assert_eq!(pieces.refused, whole.refused, "{name} by {size}");
        }
    }
}

/// 100 MB of a page that is scraped over and over, with a server that restarts now and then: the rises of
/// its counters and its restarts come out exactly, and what is held has a bound.
#[test]
fn a_hundred_megabytes_of_exposition_stream_in_bounded_memory() {
    let before = HELD.get();
    MOST.set(before);
    let mut pages = Pages::new(false);
    let (mut fed, mut scrapes, mut tokens, mut total, mut restarts) = (0, 0_u64, 0_u64, 0_u64, 0);
    let mut greatest: f64 = 0.0;
    while fed < 100_000_000 {
        // 997 is prime, so restarts fall on every kind of reading.
        if scrapes % 997 == 996 {
            tokens = 3;
            total += 3;
            restarts += 1;
        } else if scrapes > 0 {
            tokens += 7;
            total += 7;
        } else {
            tokens = 7;
        }
        let waiting = (scrapes * 7919 % 10_007) as f64;
        greatest = greatest.max(waiting);
        let mut page = format!(
            "# TYPE made_waiting gauge\nmade_waiting {waiting}\n# TYPE made_tokens counter\n"
        );
        for engine in 0..120 {
            let _ = writeln!(
                page,
                "made_tokens{{engine=\"{engine}\",model_name=\"made/llama-8b\"}} {tokens}"
            );
        }
        page.as_bytes().chunks(4_093).for_each(|piece| pages.feed(piece));
        fed += page.len();
        scrapes += 1;
    }
    let mut out = Notices::new();
    let dump = pages.finish(&mut out);
    let held = MOST.get() - before;
    assert!(held < 300 << 20, "{held} bytes held for {fed} bytes of text");
    assert_eq!(dump.series.len(), 121);
    assert!(out.iter().any(|n| n.kind == "thinned"), "{out:?}");
    for series in &dump.series {
        let values: Vec<f64> = series.points.iter().map(|p| p.value).collect();
        if series.name == "made_waiting" {
            assert_eq!(values.iter().copied().fold(0.0, f64::max).to_bits(), greatest.to_bits());
            continue;
        }
        let rise = increase(&values).unwrap();
        assert_eq!((rise.total as u64, rise.resets), (total, restarts), "{:?}", series.labels);
    }
    assert!(dump.scrapes.len() < scrapes as usize);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Lines made of the pieces of the grammar, in any order and cut anywhere.
    #[test]
    fn text_like_exposition_never_panics(
        pieces in proptest::collection::vec(
            prop_oneof![
                Just("a"), Just("vllm:x_bucket"), Just("{"), Just("}"), Just("le=\"1\""), Just("\""),
                Just("\\"), Just(","), Just(" "), Just("\t"), Just("\n"), Just("\r\n"), Just("#"),
                Just("# TYPE a histogram"), Just("# HELP a"), Just("# EOF"), Just("NaN"), Just("+Inf"),
                Just("1e5"), Just("1764410400000"), Just("..."), Just("=== é ==="), Just("__name__=\"b\""),
                Just("{count:1}"), Just("Time,a\n"), Just("{\"metric\":"), Just("{'a':"), Just("[1,\"2\"]"),
                Just("2025-11-29 10:00:00"), Just("Content : "),
            ],
            0..60,
        ),
        cut in 1..40_usize,
    ) {
        let text = pieces.concat();
        let _ = prometheus::read(&text, &mut Notices::new());
        let _ = prometheus::looks(&text, true);
        let _ = prometheus::openmetrics::check(&text);
        let whole = prometheus::read_text(text.as_bytes(), &mut Notices::new());
        let mut pages = Pages::new(text.trim_ascii_end().ends_with("# EOF"));
        text.as_bytes().chunks(cut).for_each(|piece| pages.feed(piece));
        let cut = pages.finish(&mut Notices::new());
        prop_assert_eq!(format!("{:?}", cut), format!("{:?}", whole));
    }

    #[test]
    fn any_bytes_never_panic_as_exposition(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        let _ = prometheus::read_text(&bytes, &mut Notices::new());
    }
}
