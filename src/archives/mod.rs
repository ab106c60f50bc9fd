//! Opens what results travel in: `.gz`, `.zst`, `.zip` and `.tar`, each as a stream with a hard limit.
//!
//! Knows compression and archive layouts. Must not know what a result is, and believes no size that
//! a header claims: what comes out is counted.
#![deny(clippy::indexing_slicing)]

mod fault;
mod stream;
mod tar;
mod zip;

pub use fault::Fault;
pub use stream::{Allowance, Metered, gzip, zstd};
pub use tar::{Tar, TarMember};
pub use zip::{Entry, Zip};

/// How deep archives may lie in each other. A zip of a `.tar.gz` of `.gz` files has four levels; a file
/// with more was made to be unpacked for ever.
pub const MAX_DEPTH: usize = 4;

/// The most members that one file may hold. The artifacts of a sweep are some hundreds.
pub const MAX_MEMBERS: usize = 10_000;

/// The largest member. It is held whole and its size is not known before, so its buffer doubles as it
/// grows: 1 GB is what a memory of 4 GiB bears beside the columns made of it.
pub const MAX_MEMBER_BYTES: u64 = 1_000_000_000;

/// The most bytes that may come out of one file, all members and levels together.
pub const MAX_TOTAL_BYTES: u64 = 4_000_000_000;

/// How many times its own size a file may unpack to. Results with every gap of every request shrink to
/// a tenth, tables of equal rows to a hundredth; bombs reach a thousandth in one level.
pub const MAX_RATIO: u64 = 250;

/// What a file may unpack to however small it is: small files of zeros shrink beyond any ratio.
pub const FREE_BYTES: u64 = 32 << 20;

/// A kind of archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// One compressed file, or several joined.
    Gzip,
    /// One compressed file, or several joined.
    Zstd,
    /// Members with a directory at the end, each compressed on its own.
    Zip,
    /// Members one after the other.
    Tar,
}

impl Kind {
    /// The kind that a file is, told by its first bytes.
    pub fn of(head: &[u8]) -> Option<Self> {
        match head {
            [0x1f, 0x8b, 8, ..] => Some(Self::Gzip),
            // Zstandard's frame, and the skippable frame that parallel packers put before the first.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Self::Zstd),
            // A member, and the end of an archive without any.
            [b'P', b'K', 3, 4, ..] | [b'P', b'K', 5, 6, ..] => Some(Self::Zip),
            head if tar::is_header(head) => Some(Self::Tar),
            _ => None,
        }
    }

    /// Its name in a sentence, with the article.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gzip => "a gzip file",
            Self::Zstd => "a Zstandard file",
            Self::Zip => "a ZIP archive",
            Self::Tar => "a tar archive",
        }
    }
}

/// The name of what is inside a compressed file: its own name less the ending.
pub fn uncompressed(file: &str) -> &str {
    let cut = |ending: &&str| {
        let (name, tail) = file.split_at_checked(file.len().checked_sub(ending.len())?)?;
        (tail.eq_ignore_ascii_case(ending) && !name.is_empty()).then_some(name)
    };
    [".gz", ".gzip", ".zst", ".zstd"].iter().find_map(cut).unwrap_or(file)
}

/// The name of a member fit to stand behind its archive's: parts joined by `/`, none of which leads
/// elsewhere. `None` for what systems leave behind and nobody means to send: hidden files and
/// `__MACOSX`.
fn label(name: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(name).replace('\\', "/");
    let parts: Vec<&str> =
        text.split('/').filter(|part| !matches!(*part, "" | "." | "..")).collect();
    let left_behind = |part: &&str| part.starts_with('.') || *part == "__MACOSX";
    (!parts.is_empty() && !parts.iter().any(left_behind)).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_members_lead_nowhere_else() {
        assert_eq!(label(b"../../etc/./passwd").as_deref(), Some("etc/passwd"));
        assert_eq!(label(b"/a\\b.json").as_deref(), Some("a/b.json"));
        for hidden in [&b".DS_Store"[..], b"__MACOSX/a.json", b"a/.git/x", b"", b"../.."] {
            assert_eq!(label(hidden), None);
        }
    }

    #[test]
    fn a_compressed_file_has_its_name_less_the_ending() {
        assert_eq!(uncompressed("a/run.json.gz"), "a/run.json");
        assert_eq!(uncompressed("a/run.JSON.GZ"), "a/run.JSON");
        assert_eq!(uncompressed("run.jsonl.zst"), "run.jsonl");
        for same in ["run", ".gz", "box.zip", "é"] {
            assert_eq!(uncompressed(same), same);
        }
    }
}
