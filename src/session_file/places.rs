//! Hosts and folders in the texts of runs: told apart, and no longer named, in whatever leaves the page.
//!
//! On the screen they stay: there they tell two set-ups apart, and nobody else reads them.

use super::hosts::names_host;
use crate::model::{Run, ServerDump};
use crate::notice::Place;
use std::collections::BTreeMap;

/// Hosts and folders that have been met: the same one has the same word in all that one of these has masked.
#[derive(Debug, Default)]
pub struct Places {
    hosts: BTreeMap<String, usize>,
    /// Whole paths by their last part, in the order in which they came.
    folders: BTreeMap<String, Vec<String>>,
}

/// Schemes and hosts that everybody knows and that name no machine of anybody.
const PUBLIC: [&str; 5] = ["huggingface.co", "hf.co", "github.com", "modelscope.cn", "arxiv.org"];

/// Ends of file names, which a place in a file follows as a port follows a host: `run.json:312`.
const FILES: [&str; 12] =
    ["json", "jsonl", "csv", "txt", "yaml", "yml", "log", "md", "html", "gz", "py", "rs"];

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
    /// What of the runs has to be said otherwise, with what to say, the longest first. A finished text is
    /// cleared with [`Self::cleared`]: what was compared to make it were the runs as they are.
    #[must_use]
    pub fn words(&mut self, runs: &[&Run]) -> Vec<(String, String)> {
        let mut words: BTreeMap<String, String> = BTreeMap::new();
        for run in runs {
            each_text(&mut without_rows(run), &mut |text| {
                if let Some(masked) = self.mask(text) {
                    words.insert(text.clone(), masked);
                }
            });
            let changed: Vec<(usize, String)> = self.settings(run).collect();
            for (at, masked) in changed {
                if let Some((_, value)) = run.workload.settings.get(at) {
                    words.insert(value.clone(), masked);
                }
            }
        }
        let mut words: Vec<(String, String)> = words.into_iter().collect();
        words.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
        words
    }

    /// `text` with each of the words said otherwise, where it stands as a word, both written as `escape` writes
    /// them.
    #[must_use]
    pub fn cleared(
        text: String,
        words: &[(String, String)],
        escape: impl Fn(&str) -> String,
    ) -> String {
        words.iter().fold(text, |text, (from, to)| {
            let (from, to) = (escape(from), escape(to));
            if !text.contains(&from) {
                return text;
            }
            let mut cleared = String::with_capacity(text.len());
            let mut rest = text.as_str();
            while let Some(at) = rest.find(&from) {
                let (before, found) = rest.split_at(at);
                let after = found.get(from.len()..).unwrap_or_default();
                let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
                let apart = !letter(before.chars().next_back()) && !letter(after.chars().next());
                cleared.push_str(before);
                cleared.push_str(if apart { &to } else { &from });
                rest = after;
            }
            cleared + rest
        })
    }

    /// What a server said of itself, with no host and no folder in its texts.
    #[must_use]
    pub fn hidden_dump(&mut self, mut server: ServerDump) -> ServerDump {
        let mut known: BTreeMap<(bool, String), Option<String>> = BTreeMap::new();
        for (label, value) in server.dump.series.iter_mut().flat_map(|series| &mut series.labels) {
            let host = names_host(label) && !value.is_empty() && !is_harmless(value);
            let key = (host, value.clone());
            let masked = known
                .entry(key)
                .or_insert_with(|| self.mask(value).or_else(|| host.then(|| self.host(value))));
            if let Some(masked) = masked {
                value.clone_from(masked);
            }
        }
        let titles = server.dump.scrapes.iter_mut().filter_map(|scrape| scrape.title.as_mut());
        let origin = [&mut server.name, &mut server.provenance.file];
        for text in titles.chain(origin) {
            if let Some(masked) = self.mask(text) {
                *text = masked;
            }
        }
        server
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
        each_text(&mut run, &mut change);
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
        if is_folder(text) && !text.contains(['"', '\'', ',', ';', '(']) {
            // A folder's name may have blanks.
            return Some(self.cut(text));
        }
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
        // The end of a sentence is no part of a host.
        let bare = word.trim_end_matches(['.', ':', '!', '?']);
        if bare.len() < word.len() {
            let end = word.get(bare.len()..).unwrap_or_default();
            return self.word(bare).map(|masked| masked + end);
        }
        if let Some((_, rest)) = word.split_once('@').filter(|(_, rest)| !rest.is_empty()) {
            // Whoever it is goes with the host.
            return self.word(rest);
        }
        if is_folder(word) || word.starts_with("../") {
            return Some(self.cut(word));
        }
        if let Some((before, path)) = word.split_once(':')
            && is_folder(path)
        {
            let before = self.bare(before).unwrap_or_else(|| before.to_owned());
            return Some(format!("{before}:{}", self.cut(path)));
        }
        if let Some((host, path)) = word.split_once('/').filter(|(host, _)| !host.is_empty())
            && let Some(host) = self.bare(host)
        {
            return Some(format!("{host}/{path}"));
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
        if !port.chars().all(|c| c.is_ascii_digit()) || is_harmless(host) {
            return None;
        }
        let at_port = (2..=5).contains(&port.len()) && (is_ip(host) || is_domain(host));
        let named = at_port || is_private(host) || is_inside(host);
        let port = word.get(host.len()..).unwrap_or_default();
        named.then(|| format!("{}{port}", self.host(host)))
    }

    /// The rest of an address: its host, or a path of this machine.
    fn address(&mut self, scheme: &str, address: &str) -> Option<String> {
        if scheme.eq_ignore_ascii_case("file") {
            return Some(self.cut(address));
        }
        let end = address.find(['/', '?', '#']).unwrap_or(address.len());
        let (place, path) = address.split_at(end);
        let (user, named) = place.rsplit_once('@').unwrap_or(("", place));
        let (host, port) = match named.rsplit_once(':') {
            Some((host, port)) if !port.is_empty() && port.chars().all(|c| c.is_ascii_digit()) => {
                (host, port)
            }
            _ => (named, ""),
        };
        let port = if port.is_empty() { String::new() } else { format!(":{port}") };
        let public = PUBLIC.iter().any(|name| host.eq_ignore_ascii_case(name));
        if host.is_empty() && is_folder(path) {
            return Some(self.cut(path));
        }
        if host.is_empty() || public || is_harmless(host) || scheme.eq_ignore_ascii_case("hf") {
            return (!user.is_empty()).then(|| format!("{scheme}://{host}{port}{path}"));
        }
        Some(format!("{scheme}://{}{port}{path}", self.host(host)))
    }

    /// The last part of a path, which names a file or a model: "…/llama-3-8b"; another of the same name is
    /// "…/llama-3-8b (2)". What lies right below the homes is somebody's name.
    fn cut(&mut self, path: &str) -> String {
        let ends: &[char] = if path.contains('/') { &['/'] } else { &['\\'] };
        let whole = path.trim_end_matches(ends);
        let (before, last) = whole.rsplit_once(ends).unwrap_or(("", whole));
        let parent = before.rsplit(ends).next().unwrap_or_default();
        if ["home", "users"].iter().any(|homes| parent.eq_ignore_ascii_case(homes)) {
            return "…".to_owned();
        }
        let known = self.folders.entry(last.to_owned()).or_default();
        let at = known.iter().position(|other| other == whole).unwrap_or_else(|| {
            known.push(whole.to_owned());
            known.len() - 1
        });
        if at == 0 { format!("…/{last}") } else { format!("…/{last} ({})", at + 1) }
    }

    fn host(&mut self, name: &str) -> String {
        let next = self.hosts.len() + 1;
        let number = self.hosts.entry(name.to_ascii_lowercase()).or_insert(next);
        format!("host-{number}")
    }
}

/// Visits the texts of a run that may name a place; values of settings are looked at by their names.
fn each_text(run: &mut Run, visit: &mut dyn FnMut(&mut String)) {
    let Run { name, version, workload, provenance, reported, group, .. } = run;
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
    named.into_iter().flatten().for_each(&mut *visit);
    workload.settings.iter_mut().for_each(|(key, _)| visit(key));
    reported.values.iter_mut().for_each(|value| visit(&mut value.field));
    for further in &mut reported.further {
        visit(&mut further.field);
        visit(&mut further.unit);
    }
    provenance.joined.iter_mut().for_each(|piece| visit(&mut piece.file));
    [name, &mut provenance.file, &mut provenance.because].into_iter().for_each(&mut *visit);
    provenance.notices.rewrite(|notice| {
        visit(&mut notice.text);
        for place in &mut notice.places {
            if let Place::JsonPath(text) | Place::Cell { column: text, .. } = place {
                visit(text);
            }
        }
    });
}

/// The run without its rows, which hold no text.
fn without_rows(run: &Run) -> Run {
    Run {
        name: run.name.clone(),
        version: run.version.clone(),
        workload: run.workload.clone(),
        reported: run.reported.clone(),
        group: run.group.clone(),
        ..Run::new(run.tool, "", run.provenance.clone())
    }
}

fn is_gap(c: char) -> bool {
    c.is_whitespace() || "\"'`“”‘’()[]{}<>,;=|".contains(c)
}

fn is_harmless(host: &str) -> bool {
    let numbered = host
        .strip_prefix("host-")
        .is_some_and(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit()));
    numbered || HARMLESS.iter().any(|name| host.eq_ignore_ascii_case(name))
}

/// An absolute path of two parts and more that is no address on a server, or one below somebody's home.
fn is_folder(word: &str) -> bool {
    let bytes = word.as_bytes();
    let drive = matches!(bytes, [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic());
    if drive || word.starts_with("\\\\") || word.starts_with("~/") {
        return true;
    }
    let Some(path) = word.strip_prefix('/') else { return false };
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    let version = |part: &&str| {
        let number = part.strip_prefix('v').unwrap_or_default();
        number.starts_with(|c: char| c.is_ascii_digit())
    };
    let route = parts.iter().any(version)
        || [parts.first(), parts.last()].into_iter().flatten().any(|part| ROUTES.contains(part));
    parts.len() > 1 && !route
}

/// An IPv4 address.
fn is_ip(host: &str) -> bool {
    host.split('.').count() == 4 && host.split('.').all(|part| part.parse::<u8>().is_ok())
}

/// An IPv4 address of a network that is nobody else's and that no version looks like: `10.3.0.26` may be one.
fn is_private(host: &str) -> bool {
    let parts: Vec<u8> = host.split('.').filter_map(|part| part.parse().ok()).collect();
    is_ip(host)
        && match parts[..] {
            [192, 168, ..] | [100, 64..=127, ..] | [169, 254, ..] => true,
            [172, second, _, _] => (16..=31).contains(&second),
            _ => false,
        }
}

/// A name with a domain, and no file.
fn is_domain(host: &str) -> bool {
    let end = host.rsplit_once('.').map_or("", |(_, end)| end);
    let plain = host.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.'));
    let letters = end.len() > 1 && end.chars().all(|c| c.is_ascii_alphabetic());
    plain && letters && !FILES.contains(&end) && !host.starts_with(['.', '-'])
}

/// A name that only an organisation or a provider knows.
fn is_inside(host: &str) -> bool {
    let lower = host.to_ascii_lowercase();
    // Markdown writes a low line with a stroke before it.
    let plain =
        lower.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_' | '\\'));
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
            ("[10.0.3.4:8000]", "[host-1:8000]"),
            ("http://me@localhost:8000/v1", "http://localhost:8000/v1"),
            ("node-3.cluster.internal", "host-3"),
            ("/home/alice/models/llama-3-8b", "…/llama-3-8b"),
            ("/models/llama-3-8b/", "…/llama-3-8b (2)"),
            ("/home/alice", "…"),
            ("C:\\Users\\John Smith", "…"),
            ("~/x/y.json", "…/y.json"),
            ("C:\\Users\\alice\\llama", "…/llama"),
            ("\\\\nas\\share\\llama", "…/llama (2)"),
            ("file:///data/x/set.jsonl", "…/set.jsonl"),
            ("dataset=/data/x/set.jsonl, n=3", "dataset=…/set.jsonl, n=3"),
            ("[/data/x/set.jsonl] path:/data/x/set.jsonl", "[…/set.jsonl] path:…/set.jsonl"),
            ("gpu1.acme.example:8000", "host-4:8000"),
            (
                "cannot connect to (http://10.9.9.9:80) twice",
                "cannot connect to (http://host-5:80) twice",
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
            "https://huggingface.co/meta-llama/x",
            "hf://meta-llama/x",
            "/v1beta/models/x",
            "/tgi/generate",
            "TensorRT-LLM 10.3.0.26",
            "run.json:312",
            "…/llama-3-8b",
            "",
        ] {
            assert_eq!(places.mask(text), None, "{text}");
        }
    }

    #[test]
    fn a_finished_text_is_cleared_of_what_the_runs_name() {
        let provenance = |file| Provenance::new(file, 1, Digest::of(b"x"), "vllm", "keys");
        let plain = Run::new(Tool::Vllm, "plain", provenance("a/plain.json"));
        let mut told = Run::new(Tool::Vllm, "told", provenance("told.json"));
        told.workload.model = Some("/ckpt/a/<llama>".into());
        told.workload.settings = vec![
            ("base_url".into(), "http://10.0.0.1:8000".into()),
            ("host".into(), "bertha".into()),
            ("rate".into(), "8".into()),
        ];
        let mut other = told.clone();
        other.workload.model = Some("/ckpt/b/<llama>".into());
        let words = Places::default().words(&[&plain, &told, &other]);
        let escape = |text: &str| text.replace('<', "&lt;").replace('>', "&gt;");
        let text = "bertha serves /ckpt/a/&lt;llama&gt; and /ckpt/b/&lt;llama&gt;, not berthas";
        assert_eq!(
            Places::cleared(text.into(), &words, escape),
            "host-2 serves …/&lt;llama&gt; and …/&lt;llama&gt; (2), not berthas"
        );
        let masked = Places::default().hidden(told.clone());
        assert_eq!(
            masked.workload.settings.iter().map(|(_, v)| v.as_str()).collect::<Vec<_>>(),
            ["http://host-1:8000", "host-2", "8"]
        );
        assert_eq!(masked.id, told.id);
    }
}
