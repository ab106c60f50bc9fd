//! Pages of exposition text, one or several in one file, fed in pieces.

use super::dates;
use super::families;
use super::scanner::{self, Exemplar, Line, Metadata, Named, Says, Syntax, Value};
use super::store::Store;
use crate::model::{Dump, DumpShape};
use crate::notice::{Notices, Place, Severity};
use crate::units::UnixTime;

/// A longer line is no sample.
const MOST_BYTES_OF_LINE: usize = 1 << 20;
/// A timestamp from here on is in milliseconds, whatever the format says: 1973 in them, 5138 in seconds.
const MILLISECONDS_FROM: f64 = 1e11;
/// A timestamp below this can be either, and the format decides.
const SECONDS_FROM: f64 = 1e9;

/// Reads exposition text fed piece by piece. Lines that are no samples are left out, counted and named.
pub struct Pages {
    store: Store,
    notices: Notices,
    /// A line whose end has not come yet.
    partial: Vec<u8>,
    /// Whether the beginning of a line that is too long was thrown away.
    overlong: bool,
    line: u64,
    /// Whether a whole number behind a value counts seconds, as in OpenMetrics.
    seconds: bool,
    inside: u64,
    untyped: u64,
    typed: u64,
    timed: u64,
    samples: u64,
    exemplars: u64,
}

impl Pages {
    /// A reader. `openmetrics` says that small whole timestamps are seconds and not milliseconds, which
    /// only the last line, `# EOF`, tells.
    pub fn new(openmetrics: bool) -> Self {
        Self {
            store: Store::new(DumpShape::Exposition),
            notices: Notices::new(),
            partial: Vec::new(),
            overlong: false,
            line: 0,
            seconds: openmetrics,
            inside: 0,
            untyped: 0,
            typed: 0,
            timed: 0,
            samples: 0,
            exemplars: 0,
        }
    }

    /// Takes the next piece of the file, cut anywhere.
    pub fn feed(&mut self, mut piece: &[u8]) {
        while let Some(at) = piece.iter().position(|byte| *byte == b'\n') {
            let (line, rest) = piece.split_at_checked(at).unwrap_or_default();
            piece = rest.get(1..).unwrap_or_default();
            if self.partial.is_empty() && !self.overlong {
                self.take(line);
            } else {
                self.keep(line);
                let whole = std::mem::take(&mut self.partial);
                self.take(&whole);
            }
        }
        self.keep(piece);
    }

    fn keep(&mut self, piece: &[u8]) {
        if self.partial.len() + piece.len() > MOST_BYTES_OF_LINE {
            self.overlong = true;
            self.partial = Vec::new();
        }
        if !self.overlong {
            self.partial.extend_from_slice(piece);
        }
    }

    /// The dump, after the last piece.
    pub fn finish(mut self, out: &mut Notices) -> Dump {
        if !self.partial.is_empty() || self.overlong {
            let last = std::mem::take(&mut self.partial);
            let before = self.samples;
            self.take(&last);
            if self.samples > before {
                let said = "The last line has no end: its value may be cut.";
                self.notices.add(Severity::Note, "no-line-end", self.place(0, ""), said);
            }
        }
        if self.inside > 0 {
            self.store.shape = DumpShape::TsdbDump;
        } else if self.timed == self.samples && self.untyped > 0 && self.typed == 0 {
            self.store.shape = DumpShape::Federation;
        } else if self.timed == self.samples && self.untyped + self.typed == 0 {
            self.store.shape = DumpShape::TsdbDump;
        }
        if self.exemplars > 0 {
            let said = "Exemplars are examples for tracing, not measurements; they are not kept.";
            let (count, whole) = (self.exemplars, Place::WholeFile);
            self.notices.add_many(Severity::Note, "exemplars", whole, count, said);
        }
        let dump = self.store.finish(&mut self.notices);
        out.extend(self.notices);
        dump
    }

    /// How many samples were read.
    pub const fn samples(&self) -> u64 {
        self.samples
    }

    fn place(&self, at: usize, text: &str) -> Place {
        let column = text.get(..at).map_or(0, |before| before.chars().count()) as u64 + 1;
        Place::LineColumn { line: self.line, column }
    }

    fn skip(&mut self, at: usize, text: &str, reason: &str) {
        let said = format!("A line was left out: {reason}.");
        self.notices.add(Severity::Warn, "skipped-line", self.place(at, text), said);
    }

    fn take(&mut self, bytes: &[u8]) {
        self.line += 1;
        if std::mem::take(&mut self.overlong) {
            return self.skip(0, "", "it is longer than a megabyte");
        }
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text,
            Err(error) => {
                let good = bytes.get(..error.valid_up_to()).and_then(|b| str::from_utf8(b).ok());
                let good = good.unwrap_or_default();
                return self.skip(good.len(), good, "its text is not UTF-8");
            }
        };
        let text = if self.line == 1 { text.trim_start_matches('\u{feff}') } else { text };
        if let Some((series, length)) = self.store.expected(text)
            && let Ok(tail) = scanner::tail(text, length)
        {
            return self.sample(series, tail.value, tail.time, tail.exemplar, text);
        }
        match scanner::line(text, Syntax::Lenient) {
            Ok(Line::Blank) => {}
            Ok(Line::Eof) => self.store.heading(None, None),
            Ok(Line::Metadata(metadata)) => self.metadata(&metadata, text),
            Ok(Line::Comment(words)) => {
                self.heading(words, words.starts_with(['=', '-']));
            }
            Ok(Line::Sample(named, tail)) => {
                self.inside += u64::from(named.inside);
                if let Some(series) = self.series(&named) {
                    self.sample(series, tail.value, tail.time, tail.exemplar, text);
                }
            }
            Err(fault) => self.other(fault, text),
        }
    }

    fn series(&mut self, named: &Named<'_>) -> Option<usize> {
        self.store.series(&named.name, &named.labels, named.written)
    }

    fn sample(
        &mut self,
        series: usize,
        value: Value,
        time: Option<&str>,
        exemplar: Exemplar,
        text: &str,
    ) {
        match exemplar {
            Exemplar::Absent => {}
            Exemplar::Present => self.exemplars += 1,
            Exemplar::Broken(fault) => {
                let said = format!("An exemplar can’t be read, its sample can: {}.", fault.reason);
                let place = self.place(fault.at, text);
                self.notices.add(Severity::Note, "broken-exemplar", place, said);
            }
        }
        let Value::Number(value) = value else { return self.store.native() };
        let at = time.and_then(|time| self.time(time));
        self.samples += 1;
        self.timed += u64::from(at.is_some());
        self.store.sample(series, value, at, self.line, &mut self.notices);
    }

    /// Text 0.0.4 counts milliseconds, OpenMetrics seconds; the size decides where it can.
    fn time(&self, text: &str) -> Option<UnixTime> {
        let number = scanner::number(text)?;
        let whole = !text.contains(['.', 'e', 'E']);
        let size = number.abs();
        let millis = size >= MILLISECONDS_FROM
            || (whole && size < SECONDS_FROM && (!self.seconds || self.inside > 0));
        Some(UnixTime::from_secs(if millis { number / 1e3 } else { number }))
    }

    fn metadata(&mut self, metadata: &Metadata<'_>, text: &str) {
        let Metadata { says, name, text: words } = metadata;
        let now = self.store.moment();
        let family = self.store.announced(name);
        let slot = match says {
            Says::Help => 0,
            Says::Type => 1,
            Says::Unit => 2,
        };
        let before = family.since.get_mut(slot).and_then(|since| since.replace(now));
        let mut unknown = false;
        let mut other = false;
        match says {
            Says::Help => _ = family.help.get_or_insert_with(|| scanner::unescaped(words).into()),
            Says::Unit => {
                if !words.is_empty() {
                    family.unit.get_or_insert_with(|| (*words).to_owned());
                }
            }
            Says::Type => match families::kind(words) {
                Some(kind) => other = *family.kind.get_or_insert(kind) != kind,
                None => unknown = true,
            },
        }
        if *says == Says::Type {
            let untyped = matches!(words.to_ascii_lowercase().as_str(), "untyped");
            self.untyped += u64::from(untyped);
            self.typed += u64::from(!untyped);
        }
        if let Some(before) = before {
            self.store.announced_again(before);
        }
        let column = text.len() - words.len().min(text.len());
        if unknown {
            self.skip(column, text, "its TYPE names no type");
        } else if other {
            self.skip(column, text, "its TYPE differs from that of an earlier line");
        }
    }

    /// A heading or a date between two pages, if the words are one.
    fn heading(&mut self, words: &str, title: bool) -> bool {
        let dated = dates::dated(words);
        if let Some(dated) = dated
            && !dated.zoned
        {
            let said =
                "A date between two scrapes does not say its time zone; it is taken for UTC.";
            self.notices.add(Severity::Note, "no-time-zone", self.place(0, ""), said);
        }
        let name = words.trim_matches(|c: char| c == '=' || c == '-' || c == '>' || c == '<');
        let name = Some(name.trim()).filter(|name| !name.is_empty());
        if dated.is_some() || title {
            self.store.heading(dated.map(|d| d.at), name);
        }
        dated.is_some() || title
    }

    /// A line that is no exposition: what stands between two scrapes, or what was pasted with them.
    fn other(&mut self, fault: scanner::Fault, text: &str) {
        let trimmed = text.trim();
        // PowerShell prints what it fetched as a table of properties.
        if let Some(content) = power_shell(trimmed, "Content") {
            let line = content.to_owned();
            self.line -= 1;
            return self.take(line.as_bytes());
        }
        let ruled = ["===", "---", "==>", "***", ">>>"];
        let title = ruled.iter().any(|rule| trimmed.starts_with(rule));
        let prompt = trimmed.contains("curl ") || trimmed.contains("wget ");
        if self.heading(trimmed, title || prompt) {
            let said = "A line between two scrapes was read as their heading or date.";
            self.notices.add(Severity::Note, "heading", self.place(0, ""), said);
            return;
        }
        let elided = trimmed.trim_start_matches('#').trim();
        let reason = if elided == "..." || elided == "…" {
            "it stands for lines that whoever wrote this left away"
        } else if trimmed.starts_with("```") || trimmed.starts_with("~~~") {
            "it marks a block of code"
        } else if power_shell(trimmed, "").is_some() || trimmed.starts_with("HTTP/") {
            "it is of the reply’s envelope, not of the page"
        } else {
            fault.reason
        };
        self.skip(fault.at, text, reason);
    }
}

/// What stands behind `Name    : `, as PowerShell lists the properties of a reply, of the property `name`
/// or of any of those it prints.
pub(super) fn power_shell<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    const PROPERTIES: &[&str] = &[
        "StatusCode",
        "StatusDescription",
        "Content",
        "RawContent",
        "RawContentLength",
        "Headers",
        "Images",
        "InputFields",
        "Links",
        "Forms",
        "ParsedHtml",
        "RelationLink",
    ];
    let (property, value) = line.split_once(':')?;
    let property = property.trim_end();
    let meant = if name.is_empty() { PROPERTIES.contains(&property) } else { property == name };
    meant.then(|| value.trim_start())
}

#[cfg(test)]
mod tests {
    use super::super::read_text;
    use crate::model::{Dump, FamilyKind, SampleKind, Series};
    use crate::notice::Notices;
    use crate::units::UnixTime;

    fn read(text: &str) -> (Dump, Vec<(u64, String)>) {
        let mut out = Notices::new();
        let dump = read_text(text.as_bytes(), &mut out);
        (dump, out.iter().map(|n| (n.count, n.text.clone())).collect())
    }

    fn values(series: &Series) -> Vec<(u32, f64)> {
        series.points.iter().map(|p| (p.scrape, p.value)).collect()
    }

    fn family(dump: &Dump, series: &Series) -> (String, FamilyKind, SampleKind) {
        let family = &dump.families[series.family as usize];
        (family.name.clone(), family.kind, family.sample(series))
    }

    #[test]
    fn a_page_scraped_again_begins_a_new_reading() {
        let page = |n: u32| {
            format!(
                "# HELP a_total Help.\n# TYPE a_total counter\na_total{{x=\"1\"}} {n}\n# TYPE b gauge\n\
                 b {{ y = \"2\", x=\"1\" , }}\t{n}\n"
            )
        };
        let (dump, notices) = read(&[page(1), page(2), page(3)].concat());
        assert_eq!(dump.scrapes.len(), 3);
        assert_eq!(dump.series.len(), 2);
        assert_eq!(values(&dump.series[0]), [(0, 1.0), (1, 2.0), (2, 3.0)]);
        assert_eq!(values(&dump.series[1]), [(0, 1.0), (1, 2.0), (2, 3.0)]);
        assert_eq!(dump.series[1].label("y"), Some("2"));
        assert_eq!(notices, []);
    }

    #[test]
    fn a_log_of_one_series_has_a_reading_a_line() {
        let (dump, _) = read("a 0\na 0\na 3\n");
        assert_eq!(values(&dump.series[0]), [(0, 0.0), (1, 0.0), (2, 3.0)]);
    }

    #[test]
    fn dates_between_scrapes_are_their_times() {
        let (dump, _) = read("1764410400\na 1\nb 1\nSat Nov 29 10:00:15 UTC 2025\nc 1\na 2\nb 2\n");
        let times: Vec<_> = dump.scrapes.iter().map(|s| s.at.unwrap().as_secs()).collect();
        assert_eq!(times, [1_764_410_400.0, 1_764_410_415.0]);
        assert_eq!(values(&dump.series[2]), [(1, 1.0)]);
    }

    #[test]
    fn a_heading_begins_a_reading_only_where_series_come_again() {
        let (dump, _) =
            read("=== before ===\nc 1\n=== part two ===\na 1\n=== after ===\nz 1\na 2\n");
        assert_eq!(dump.scrapes.len(), 2);
        assert_eq!(dump.scrapes[1].title.as_deref(), Some("after"));
        let at = |name: &str| values(dump.series.iter().find(|s| s.name == name).unwrap());
        assert_eq!(at("a"), [(0, 1.0), (1, 2.0)]);
        assert_eq!(at("z"), [(1, 1.0)]);
    }

    #[test]
    fn a_series_twice_in_one_page_is_no_new_reading() {
        let (dump, notices) = read("x 1\na 1\nb 1\na 1\nc 1\nb 2\nd 1\n");
        assert_eq!(dump.scrapes.len(), 1);
        assert!(dump.series.iter().all(|s| s.points.len() == 1));
        assert_eq!(notices.len(), 1);
        assert!(notices[0].1.contains("“b” twice with different values"), "{notices:?}");
    }

    #[test]
    fn a_type_wins_over_names_and_names_do_without() {
        use FamilyKind::{Counter, Gauge, Histogram, Summary, Unknown};
        use SampleKind::{Bucket, Count, Created, Quantile, Sum, Value};
        let text = "# TYPE vllm:iteration_tokens_total histogram\n\
            vllm:iteration_tokens_total_bucket{le=\"1\"} 1\nvllm:iteration_tokens_total_sum 1\n\
            # TYPE keys gauge\nkeys{gt=\"1\",le=\"2\"} 4\n\
            t_bucket{le=\"1\"} 1\nt_count 1\nt_sum 1\nt_created 1764410400\n\
            # TYPE u_bucket untyped\nu_bucket{le=\"1\"} 1\n\
            # TYPE c counter\nc_total 5\nd_total 5\n\
            # TYPE h_ms histogram\nnv_h_ms{le=\"1\"} 1\nnv_h_ms_count 1\nnv_h_ms_sum 1\n\
            s{quantile=\"0.5\"} 1\ns_sum 1\nk{gt=\"1\",le=\"2\"} 1\n";
        let (dump, _) = read(text);
        let got: Vec<_> = dump.series.iter().map(|s| family(&dump, s)).collect();
        let want = [
            ("vllm:iteration_tokens_total", Histogram, Bucket),
            ("vllm:iteration_tokens_total", Histogram, Sum),
            ("keys", Gauge, Value),
            ("t", Histogram, Bucket),
            ("t", Histogram, Count),
            ("t", Histogram, Sum),
            ("t", Histogram, Created),
            ("u", Histogram, Bucket),
            ("c_total", Counter, Value),
            ("d_total", Counter, Value),
            ("nv_h_ms", Histogram, Bucket),
            ("nv_h_ms", Histogram, Count),
            ("nv_h_ms", Histogram, Sum),
            ("s", Summary, Quantile),
            ("s", Summary, Sum),
            ("k", Unknown, Value),
        ];
        let want = want.map(|(name, kind, sample)| (name.to_owned(), kind, sample));
        assert_eq!(got, want);
    }

    #[test]
    fn what_is_no_sample_is_left_out_with_its_place() {
        let text = "$ curl -s localhost/metrics\n```\na 1\n...\nb{x=\"1} 2\nc 0x1p3\n  d 1 # {} x\r\nhttp é b";
        let mut out = Notices::new();
        let dump = read_text(text.as_bytes(), &mut out);
        let names: Vec<_> = dump.series.iter().map(|s| s.name.as_str()).collect();
        assert_eq!(names, ["a", "d"]);
        assert_eq!(dump.scrapes[0].title.as_deref(), Some("$ curl -s localhost/metrics"));
        let skipped: Vec<String> = out
            .iter()
            .filter(|n| n.kind == "skipped-line")
            .map(|n| format!("{}× {}: {}", n.count, n.places[0], n.text))
            .collect();
        let want = [
            "1× line 2, column 1: A line was left out: it marks a block of code.",
            "1× line 4, column 1: A line was left out: it stands for lines that whoever wrote this left \
             away.",
            "1× line 5, column 5: A line was left out: a label value without an end.",
            "2× line 6, column 3: A line was left out: a value that is no number.",
        ];
        assert_eq!(skipped, want);
    }

    #[test]
    fn times_are_told_by_size_and_by_the_last_line() {
        let time = |text: &str| read(text).0.series[0].points[0].at.unwrap();
        let secs = UnixTime::from_secs;
        assert_eq!(time("a 1 1764410400000\n"), secs(1_764_410_400.0));
        assert_eq!(time("a 1 1764410400\n"), secs(1_764_410_400.0));
        assert_eq!(time("a 1 60000\n"), secs(60.0));
        assert_eq!(time("a 1 60.000\n"), secs(60.0));
        assert_eq!(time("a 1 60\n# EOF\n"), secs(60.0));
        assert_eq!(time("{__name__=\"a\"} 1 60000\n# EOF"), secs(60.0));
    }

    #[test]
    fn a_database_writes_each_series_at_once() {
        let (dump, _) = read(
            "{__name__=\"a\", x=\"y\"} 5 0\n{__name__=\"a\", x=\"y\"} 4 60000\n\
             {__name__=\"b\"} 5 60000\n{__name__=\"b\"} NaN 120000\n\
             {__name__=\"n\"} {count:2, sum:3, (0.5,1]:2} 60000\n",
        );
        assert_eq!(dump.shape, crate::model::DumpShape::TsdbDump);
        assert_eq!(dump.scrapes.len(), 3);
        assert_eq!(values(&dump.series[0]), [(0, 5.0), (1, 4.0)]);
        assert_eq!(dump.series[1].points[1].scrape, 2);
    }

    #[test]
    fn names_in_quotes_and_escapes_are_read() {
        let (dump, notices) =
            read("# TYPE \"my.metric\" gauge\n{\"my.metric\",\"a.b\"=\"c\\\"\\n\\\\\\x, }\"} 1\n");
        assert_eq!(dump.series[0].name, "my.metric");
        assert_eq!(dump.series[0].label("a.b"), Some("c\"\n\\\\x, }"));
        assert_eq!(dump.families[0].kind, FamilyKind::Gauge);
        assert_eq!(notices, []);
    }

    #[test]
    fn any_cut_gives_the_same_dump() {
        let text = "# TYPE é counter\r\na{x=\"é\"} 1\r\n\nb 2 1764410400000\na{x=\"é\"} 2\r\nb 3";
        let whole = read(text);
        for size in 1..20 {
            let mut pages = super::Pages::new(false);
            text.as_bytes().chunks(size).for_each(|piece| pages.feed(piece));
            let mut out = Notices::new();
            assert_eq!(pages.finish(&mut out), whole.0);
            assert_eq!(out.iter().count(), whole.1.len());
        }
    }
}
