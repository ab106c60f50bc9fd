//! The last gate for keys and passwords: whatever of a file would be kept or shown goes through here.
//!
//! Formats keep only settings that are known to be harmless. People still write tokens into names of
//! models, labels and paths, and tools change what they print.

/// What stands in place of a key.
pub const HIDDEN: &str = "[key hidden]";

/// Beginnings of keys that services hand out, in small letters since tools change the case of names; the
/// least length of what follows; and whether that much must be letters and digits, with a digit or a
/// capital among them: where the beginning alone is also a word.
const PREFIXES: &[(&str, usize, bool)] = &[
    // OpenAI, Anthropic and whoever speaks their protocol.
    ("sk-", 6, false),
    ("sk_live_", 6, false),
    ("sk_test_", 6, false),
    // Hugging Face; `hf_output_len` is a setting.
    ("hf_", 8, true),
    ("gsk_", 8, true),
    ("nvapi-", 6, false),
    ("r8_", 12, true),
    ("ghp_", 6, false),
    ("gho_", 6, false),
    ("ghs_", 6, false),
    ("ghu_", 6, false),
    ("ghr_", 6, false),
    ("github_pat_", 6, false),
    ("glpat-", 6, false),
    ("xoxb-", 6, false),
    ("xoxp-", 6, false),
    ("akia", 12, true),
    ("asia", 12, true),
    ("aiza", 10, true),
    ("ya29.", 6, false),
    ("eyj", 8, true),
];

/// Words that name a secret, less what separates them.
const NAMES: &[&str] = &[
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "token",
    "authtoken",
    "accesstoken",
    "hftoken",
    "password",
    "passwd",
    "passphrase",
    "secret",
    "authorization",
    "credential",
    "credentials",
];

/// Values that hide nothing; what stands behind a scheme is looked at by itself.
const NO_SECRETS: &[&str] = &["none", "null", "true", "false", "bearer", "basic"];

/// `text` with everything that looks like a key or a password hidden; `None` where nothing does.
pub fn mask(text: &str) -> Option<String> {
    let mut masked = text.to_owned();
    let mut hidden = false;
    for find in [address, scheme, assignment, prefixed] {
        let mut from = 0;
        while let Some((start, end)) = find(&masked, from) {
            if masked.get(start..end).is_none_or(|found| found == HIDDEN) {
                from = end.max(from + 1);
                continue;
            }
            masked.replace_range(start..end, HIDDEN);
            hidden = true;
            from = start + HIDDEN.len();
        }
    }
    hidden.then_some(masked)
}

/// Whether the value of a setting with this name is one to hide, whatever it looks like.
pub fn names_secret(key: &str) -> bool {
    let last = key.rsplit(['.', '/', ' ']).next().unwrap_or(key);
    let bare: String = last.chars().filter(char::is_ascii_alphanumeric).collect();
    let bare = bare.to_ascii_lowercase();
    let within = ["password", "passwd", "secret", "apikey", "authorization", "credential"];
    within.iter().any(|word| bare.contains(word)) || NAMES.contains(&bare.as_str())
}

/// Where a piece of `text` lies, from and to.
type Span = (usize, usize);

fn is_part(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '~' | '+' | '/' | '=')
}

fn word_before(text: &str, at: usize) -> bool {
    text.get(..at).and_then(|before| before.chars().next_back()).is_some_and(char::is_alphanumeric)
}

/// The end of a run of characters from `at` on.
fn run_end(text: &str, at: usize, part: impl Fn(char) -> bool) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.find(|c| !part(c)).unwrap_or(rest.len())
}

/// A key by its beginning.
fn prefixed(text: &str, from: usize) -> Option<Span> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let lower = text.to_ascii_lowercase();
    PREFIXES
        .iter()
        .filter_map(|(prefix, least, mixed)| {
            let rest = lower.get(from..)?;
            rest.match_indices(prefix).find_map(|(at, _)| {
                let start = from + at;
                let end = run_end(text, start + prefix.len(), plain);
                let body = text.get(start + prefix.len()..end)?;
                let strange = |c: char| c.is_ascii_digit() || c.is_ascii_uppercase();
                let start_of_body = body.get(..*least)?;
                let mix = start_of_body.chars().all(|c| c.is_ascii_alphanumeric());
                let fits = !*mixed || (mix && body.contains(strange));
                (fits && !word_before(text, start)).then_some((start, end))
            })
        })
        .min()
}

/// What stands behind `Bearer` or `Basic`.
fn scheme(text: &str, from: usize) -> Option<Span> {
    let lower = text.to_ascii_lowercase();
    let rest = lower.get(from..)?;
    let found = ["bearer", "basic"].iter().flat_map(|word| rest.match_indices(word));
    found
        .filter_map(|(at, word)| {
            let blank = run_end(text, from + at + word.len(), |c| {
                matches!(c, ' ' | '\t' | ':') || (c == '_' && word == "bearer")
            });
            let end = run_end(text, blank, is_part);
            let token = text.get(blank..end)?;
            let long = token.len() >= 16
                || (token.len() >= 6 && token.contains(|c: char| c.is_ascii_digit()));
            (blank > from + at + word.len() && long).then_some((blank, end))
        })
        .min()
}

/// The user and password in front of a host.
fn address(text: &str, from: usize) -> Option<Span> {
    let rest = text.get(from..)?;
    rest.match_indices("://").find_map(|(at, _)| {
        let start = from + at + 3;
        let host =
            run_end(text, start, |c| !c.is_whitespace() && !matches!(c, '/' | '?' | '#' | '"'));
        let sign = text.get(start..host)?.rfind('@')?;
        Some((start, start + sign))
    })
}

/// Where the value starts in a flag whose blanks became underscores: `--api-key_…`.
fn joined(key: &str) -> Option<usize> {
    let flag = key.starts_with("--").then(|| key.to_ascii_lowercase())?;
    let value = ["key_", "token_", "password_", "secret_"]
        .iter()
        .filter_map(|word| flag.find(word).map(|at| at + word.len()))
        .min()?;
    let rest = key.get(value..)?;
    (rest.len() >= 6 && rest.contains(|c: char| c.is_ascii_digit())).then_some(value)
}

/// What is assigned to a name of a secret: `token=…`, `"api_key": "…"`, `--password …`.
fn assignment(text: &str, from: usize) -> Option<Span> {
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let mut at = from;
    while at < text.len() {
        let start = at + text.get(at..)?.find(name)?;
        let end = run_end(text, start, name);
        at = end;
        let key = text.get(start..end)?;
        if !names_secret(key) {
            continue;
        }
        if let Some(joined) = joined(key) {
            return Some((start + joined, end));
        }
        let gap = run_end(text, end, |c| matches!(c, ' ' | '=' | ':' | '"' | '\'' | '\t'));
        let sign = text.get(end..gap)?;
        let assigned =
            sign.contains('=') || (sign.contains(':') && !matches!(key, "token" | "tokens"));
        // `token` is a word of every sentence here; as a flag it is none.
        let flag = key.starts_with("--") && gap > end;
        if !assigned && !flag {
            continue;
        }
        let stop = run_end(text, gap, |c| {
            !c.is_whitespace() && !matches!(c, '"' | '\'' | ',' | ';' | '&')
        });
        let value = text.get(gap..stop)?;
        let number = value.chars().all(|c| c.is_ascii_digit() || c == '.');
        let count = number && key.to_ascii_lowercase().contains("token");
        let word = NO_SECRETS.contains(&value.to_ascii_lowercase().as_str());
        if value.len() >= 3 && !value.starts_with("[key") && !count && !word {
            return Some((gap, stop));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_hidden() {
        let cases = [
            ("run sk-proj-abc123def", "run [key hidden]"),
            ("hf_AbCdEfGhIjKl", "[key hidden]"),
            ("a/ghp_0123456789ab/b", "a/[key hidden]/b"),
            ("AKIAIOSFODNN7EXAMPLE", "[key hidden]"),
            ("akiaiosfodnn7example", "[key hidden]"),
            ("Authorization: Bearer abc123def", "Authorization: Bearer [key hidden]"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx.abc", "[key hidden]"),
            ("http://me:pw@host:8000/v1?a=b", "http://[key hidden]@host:8000/v1?a=b"),
            ("https://host/v1?api_key=abcdef&x=1", "https://host/v1?api_key=[key hidden]&x=1"),
            ("--api-key abcdef --rate 3", "--api-key [key hidden] --rate 3"),
            ("--api-key_abcdef77_--rate", "--api-key_[key hidden]"),
            ("password=hunter2, token=abcdef", "password=[key hidden], token=[key hidden]"),
            ("{\"api_key\": \"abcdef\"}", "{\"api_key\": \"[key hidden]\"}"),
            ("two sk-abcdef1 and sk-abcdef2", "two [key hidden] and [key hidden]"),
        ];
        for (text, want) in cases {
            assert_eq!(mask(text).as_deref(), Some(want), "{text}");
            assert_eq!(mask(want), None, "masked once is masked");
        }
    }

    #[test]
    fn names_and_sentences_stay() {
        for text in [
            "meta-llama/Llama-3.1-8B-Instruct",
            "Qwen/Qwen3-0.6B",
            "hf_output_len",
            "hf_transfer",
            "time per output token: 12 ms",
            "max_tokens=128",
            "output_token=5",
            "token: the first",
            "http://localhost:8000/v1/completions",
            "disk-cache",
            "risk-assessment",
            "basic statistics",
            "dataset me@home.org",
            "sk-learn",
            "asia-northeast1-b-cluster",
        ] {
            assert_eq!(mask(text), None, "{text}");
        }
        for key in ["max_tokens", "tokenizer", "output_token", "key", "random_input_len"] {
            assert!(!names_secret(key), "{key}");
        }
        for key in ["api_key", "extra.API-Key", "hf_token", "password", "openai_api_key", "token"] {
            assert!(names_secret(key), "{key}");
        }
    }
}
