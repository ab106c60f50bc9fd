//! Hosts and folders in the texts of runs: told apart, and no longer named, in whatever leaves the page.
//!
//! On the screen they stay: there they tell two set-ups apart, and nobody else reads them.

use super::hosts::names_host;
use crate::model::Run;
use crate::notice::Place;
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Hosts that have been met, by their numbers.
#[derive(Debug, Default)]
pub struct Places {
    hosts: BTreeMap<String, usize>,
}

/// Names that say nothing of a machine.
const HARMLESS: [&str; 5] = ["localhost", "127.0.0.1", "0.0.0.0", "::1", "[::1]"];

/// Ends of names that machines have inside of an organisation, or at a provider.
const INSIDE: [&str; 10] = [
    ".internal",
    ".local",
    ".localdomain",
    ".lan",
    ".corp",
    ".intra",
    ".svc",
    ".home",
    ".amazonaws.com",
    ".nip.io",
];

/// First parts of paths that are addresses on a server and no folders.
const ROUTES: [&str; 13] = [
    "v1",
    "v2",
    "v3",
    "api",
    "generate",
    "generate_stream",
    "invocations",
    "inference",
    "openai",
    "completions",
    "completion",
    "chat",
    "embeddings",
];

impl Places {
    /// The runs with no host and no folder in their texts; those that name none are as they were.
    #[must_use]
    pub fn without<'r>(&mut self, runs: &[&'r Run]) -> Vec<Cow<'r, Run>> {
        runs.iter()
            .map(|run| {
                let hidden = |text: &&String| self.mask(text).is_some();
                if texts(run).iter().any(hidden) || self.settings(run).next().is_some() {
                    Cow::Owned(self.hidden((*run).clone()))
                } else {
                    Cow::Borrowed(*run)
                }
            })
            .collect()
    }

    /// One run, with the hosts that were met before under the same numbers.
    #[must_use]
    pub fn hidden(&mut self, mut run: Run) -> Run {
        let settings: Vec<(usize, String)> = self.settings(&run).collect();
        for (at, value) in settings {
            if let Some((_, text)) = run.workload.settings.get_mut(at) {
                *text = value;
            }
        }
        let mut change = |text: &mut String| {
            if let Some(masked) = self.mask(text) {
                *text = masked;
            }
        };
        let Run { name, version, workload, provenance, reported, group, .. } = &mut run;
        let named = [
            &mut workload.model,
            &mut workload.tokenizer,
            &mut workload.dataset,
            &mut workload.endpoint,
            &mut workload.backend,
            &mut workload.date,
            &mut version.exact,
            &mut version.guess,
            &mut version.because,
            &mut provenance.kin,
            &mut provenance.stem,
            group,
        ];
        named.into_iter().flatten().for_each(&mut change);
        workload.settings.iter_mut().for_each(|(key, _)| change(key));
        reported.values.iter_mut().for_each(|value| change(&mut value.field));
        for further in &mut reported.further {
            change(&mut further.field);
            change(&mut further.unit);
        }
        provenance.joined.iter_mut().for_each(|piece| change(&mut piece.file));
        [name, &mut provenance.file, &mut provenance.because].into_iter().for_each(&mut change);
        provenance.notices.rewrite(|notice| {
            change(&mut notice.text);
            for place in &mut notice.places {
                if let Place::JsonPath(text) | Place::Cell { column: text, .. } = place {
                    change(text);
                }
            }
        });
        run
    }

    /// Settings that change, with their new values: those whose name says that they name a host are hidden
    /// whatever they look like.
    fn settings<'a>(&'a mut self, run: &'a Run) -> impl Iterator<Item = (usize, String)> + 'a {
        run.workload.settings.iter().enumerate().filter_map(|(at, (key, value))| {
            let key = key.rsplit(['.', '/']).next().unwrap_or(key);
            let host = names_host(key) && !value.is_empty() && !is_harmless(value);
            let masked = self.mask(value).or_else(|| host.then(|| self.host(value)))?;
            (masked != *value).then_some((at, masked))
        })
    }

    /// `text` with its hosts numbered and its folders cut; `None` where it names none.
    pub fn mask(&mut self, text: &str) -> Option<String> {
        let mut masked = String::new();
        let mut changed = false;
        // Whole words, with whatever parts them kept as it is.
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.find(is_gap).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            match self.word(word) {
                Some(other) => {
                    changed = true;
                    masked.push_str(&other);
                }
                None => masked.push_str(word),
            }
            let gap = after.find(|c| !is_gap(c)).unwrap_or(after.len());
            let (gap, next) = after.split_at(gap);
            masked.push_str(gap);
            rest = next;
        }
        changed.then_some(masked)
    }

    fn word(&mut self, word: &str) -> Option<String> {
        if let Some((scheme, address)) = word.split_once("://") {
            return self.address(scheme, address);
        }
        if is_folder(word) {
            return cut(word);
        }
        if let Some(masked) = self.bare(word) {
            return Some(masked);
        }
        // Keys of files put words together with a low line.
        let mut parts: Vec<String> = word.split('_').map(str::to_owned).collect();
        let mut changed = false;
        for part in &mut parts {
            if let Some(masked) = self.bare(part) {
                *part = masked;
                changed = true;
            }
        }
        changed.then(|| parts.join("_"))
    }

    /// A host by itself, with its port if it has one.
    fn bare(&mut self, word: &str) -> Option<String> {
        let (host, port) = word.rsplit_once(':').unwrap_or((word, ""));
        let numbers = port.chars().all(|c| c.is_ascii_digit());
        let port = word.get(host.len()..).unwrap_or_default();
        let named = numbers && (is_private(host) || is_inside(host));
        named.then(|| format!("{}{port}", self.host(host)))
    }

    /// The rest of an address: its host, or a path of this machine.
    fn address(&mut self, scheme: &str, address: &str) -> Option<String> {
        if scheme.eq_ignore_ascii_case("file") {
            return cut(address);
        }
        let end = address.find(['/', '?', '#']).unwrap_or(address.len());
        let (place, path) = address.split_at(end);
        let named = place.rsplit_once('@').map_or(place, |(_, host)| host);
        let (host, port) = match named.rsplit_once(':') {
            Some((host, port)) if !port.is_empty() && port.chars().all(|c| c.is_ascii_digit()) => {
                (host, port)
            }
            _ => (named, ""),
        };
        if host.is_empty() || is_harmless(host) {
            return None;
        }
        let port = if port.is_empty() { String::new() } else { format!(":{port}") };
        let masked = format!("{scheme}://{}{port}{path}", self.host(host));
        (!host.starts_with("host-")).then_some(masked)
    }

    fn host(&mut self, name: &str) -> String {
        let next = self.hosts.len() + 1;
        let number = self.hosts.entry(name.to_ascii_lowercase()).or_insert(next);
        format!("host-{number}")
    }
}

/// The texts of a run that may name a place; values of settings are looked at by their names.
fn texts(run: &Run) -> Vec<&String> {
    let Run { name, version, workload, provenance, reported, group, .. } = run;
    let named = [
        &workload.model,
        &workload.tokenizer,
        &workload.dataset,
        &workload.endpoint,
        &workload.backend,
        &workload.date,
        &version.exact,
        &version.guess,
        &version.because,
        &provenance.kin,
        &provenance.stem,
        group,
    ];
    let mut texts: Vec<&String> = named.into_iter().flatten().collect();
    texts.extend(workload.settings.iter().map(|(key, _)| key));
    texts.extend(reported.values.iter().map(|value| &value.field));
    texts.extend(reported.further.iter().flat_map(|further| [&further.field, &further.unit]));
    texts.extend(provenance.joined.iter().map(|piece| &piece.file));
    for notice in &provenance.notices {
        texts.push(&notice.text);
        texts.extend(notice.places.iter().filter_map(|place| match place {
            Place::JsonPath(text) | Place::Cell { column: text, .. } => Some(text),
            _ => None,
        }));
    }
    texts.extend([name, &provenance.file, &provenance.because]);
    texts
}

fn is_gap(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            '"' | '\''
                | '`'
                | '“'
                | '”'
                | '‘'
                | '’'
                | '('
                | ')'
                | '<'
                | '>'
                | ','
                | ';'
                | '='
                | '|'
        )
}

fn is_harmless(host: &str) -> bool {
    HARMLESS.iter().any(|name| host.eq_ignore_ascii_case(name)) || host.starts_with("host-")
}

/// An absolute path of two parts and more that is no address on a server, or one below somebody's home.
fn is_folder(word: &str) -> bool {
    let bytes = word.as_bytes();
    let drive = matches!(bytes, [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic());
    if drive || word.starts_with("\\\\") || word.starts_with("~/") {
        return true;
    }
    let mut parts = word.strip_prefix('/').unwrap_or_default().split('/').filter(|p| !p.is_empty());
    let first = parts.next().unwrap_or_default();
    !first.is_empty() && parts.next().is_some() && !ROUTES.contains(&first)
}

/// The last part of a path, which names a file or a model: "…/llama-3-8b".
fn cut(path: &str) -> Option<String> {
    let last = path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next()?;
    Some(format!("…/{last}"))
}

/// An IPv4 address of a network that is nobody else's. Versions have small numbers or fewer parts.
fn is_private(host: &str) -> bool {
    let parts: Vec<u8> = host.split('.').filter_map(|part| part.parse().ok()).collect();
    host.split('.').count() == 4
        && match parts[..] {
            [10, ..] | [192, 168, ..] | [100, 64..=127, ..] | [169, 254, ..] => parts.len() == 4,
            [172, second, _, _] => (16..=31).contains(&second),
            _ => false,
        }
}

/// A name that only an organisation or a provider knows.
fn is_inside(host: &str) -> bool {
    let lower = host.to_ascii_lowercase();
    let plain = lower.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_'));
    plain && INSIDE.iter().any(|end| lower.ends_with(end) && lower.len() > end.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Digest, Provenance, Tool};

    #[test]
    fn hosts_are_numbered_and_folders_cut() {
        let mut places = Places::default();
        for (text, want) in [
            ("http://10.0.3.4:8000/v1/chat/completions", "http://host-1:8000/v1/chat/completions"),
            ("https://gpu-17.acme.example/v1", "https://host-2/v1"),
            ("grpc://user@10.0.3.4:50051", "grpc://host-1:50051"),
            ("10.0.3.4:8000", "host-1:8000"),
            ("node-3.cluster.internal", "host-3"),
            ("/home/alice/models/llama-3-8b", "…/llama-3-8b"),
            ("/models/llama-3-8b/", "…/llama-3-8b"),
            ("~/x/y.json", "…/y.json"),
            ("C:\\Users\\alice\\llama", "…/llama"),
            ("\\\\nas\\share\\llama", "…/llama"),
            ("file:///data/x/set.jsonl", "…/set.jsonl"),
            ("dataset=/data/x/set.jsonl, n=3", "dataset=…/set.jsonl, n=3"),
            (
                "cannot connect to (http://10.9.9.9:80) twice",
                "cannot connect to (http://host-4:80) twice",
            ),
        ] {
            assert_eq!(places.mask(text).as_deref(), Some(want), "{text}");
        }
    }

    #[test]
    fn what_names_no_place_stays() {
        let mut places = Places::default();
        for text in [
            "http://localhost:8000/v1",
            "http://127.0.0.1:8000",
            "/v1/chat/completions",
            "/generate",
            "meta-llama/Llama-3.1-8B",
            "0.8.5.1",
            "1.2.3",
            "8 req/s, tok/s",
            "vLLM · chat / completions",
            "S2/vllm/run.json",
            "http://host-1:8000/v1",
            "…/llama-3-8b",
            "",
        ] {
            assert_eq!(places.mask(text), None, "{text}");
        }
    }

    #[test]
    fn a_run_without_places_is_not_copied_and_one_with_them_keeps_its_id_and_rows() {
        let provenance = |file| Provenance::new(file, 1, Digest::of(b"x"), "vllm", "keys");
        let plain = Run::new(Tool::Vllm, "plain", provenance("a/plain.json"));
        let mut told = Run::new(Tool::Vllm, "/home/alice/m", provenance("/home/alice/told.json"));
        told.workload.model = Some("/home/alice/models/llama".into());
        told.workload.settings = vec![
            ("base_url".into(), "http://10.0.0.1:8000".into()),
            ("host".into(), "bertha".into()),
            ("rate".into(), "8".into()),
        ];
        let masked = Places::default().without(&[&plain, &told]);
        assert!(matches!(masked[0], Cow::Borrowed(_)));
        assert!(!format!("{:?}", masked[1]).contains("alice"), "{:?}", masked[1]);
        assert_eq!(masked[1].workload.model.as_deref(), Some("…/llama"));
        assert_eq!(
            masked[1].workload.settings.iter().map(|(_, v)| v.as_str()).collect::<Vec<_>>(),
            ["http://host-1:8000", "host-2", "8"]
        );
        assert_eq!(masked[1].id, told.id);
    }
}
