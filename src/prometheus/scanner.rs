//! One line of exposition text into its parts, borrowed from the line.
//!
//! Text 0.0.4, OpenMetrics 1.0, `promtool tsdb dump` and federation pages share this grammar. By default it
//! takes what people paste: blanks anywhere, a comma at the end, any order. [`Syntax::Strict`] is OpenMetrics
//! 1.0 to the letter (github.com/prometheus/OpenMetrics, tests/testdata/parsers). UTF-8 names stand quoted
//! inside the braces (prometheus/proposals 0028).

use std::borrow::Cow;

/// How much is forgiven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Syntax {
    /// What people paste.
    Lenient,
    /// OpenMetrics 1.0.
    Strict,
}

/// Why a line can't be read, and at which byte of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fault {
    /// Byte of the line, from 0.
    pub at: usize,
    /// Why, as the end of a sentence.
    pub reason: &'static str,
}

/// One line.
#[derive(Debug, PartialEq)]
pub(super) enum Line<'a> {
    /// Nothing.
    Blank,
    /// `# EOF`.
    Eof,
    /// A HELP, TYPE or UNIT line.
    Metadata(Metadata<'a>),
    /// Any other line that begins with `#`, without it.
    Comment(&'a str),
    /// A sample.
    Sample(Named<'a>, Tail<'a>),
}

/// What a metadata line says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    /// HELP.
    Help,
    /// TYPE.
    Type,
    /// UNIT.
    Unit,
}

/// A HELP, TYPE or UNIT line.
#[derive(Debug, PartialEq)]
pub(super) struct Metadata<'a> {
    /// Which of the three.
    pub says: Says,
    /// The family.
    pub name: Cow<'a, str>,
    /// What it says, with its escapes.
    pub text: &'a str,
}

/// A label: name and value.
pub(super) type Label<'a> = (Cow<'a, str>, Cow<'a, str>);

/// The name and the labels of a series.
#[derive(Debug, PartialEq)]
pub(super) struct Named<'a> {
    /// The sample's name.
    pub name: Cow<'a, str>,
    /// Whether the name stood among the labels as `__name__`, as `promtool tsdb dump` writes it.
    pub inside: bool,
    /// Labels in the order of the line.
    pub labels: Vec<Label<'a>>,
    /// The text of both as written.
    pub written: &'a str,
}

/// What follows the labels.
#[derive(Debug, PartialEq)]
pub(super) struct Tail<'a> {
    /// The value.
    pub value: Value,
    /// The time as written.
    pub time: Option<&'a str>,
    /// The exemplar that follows.
    pub exemplar: Exemplar,
}

/// An exemplar behind a value, such as a trace’s id: it is no measurement and is not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Exemplar {
    /// None.
    Absent,
    /// One that can be read.
    Present,
    /// One that can’t, where that is forgiven.
    Broken(Fault),
}

/// A sample's value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Value {
    /// A number.
    Number(f64),
    /// A native histogram, which has no classic buckets.
    Native,
}

/// OpenMetrics allows so many characters of labels to an exemplar.
const EXEMPLAR_CHARACTERS: usize = 128;

/// Reads one line, without its line end.
pub(super) fn line(text: &str, syntax: Syntax) -> Result<Line<'_>, Fault> {
    let mut cursor = Cursor { text, rest: text, strict: syntax == Syntax::Strict };
    if cursor.strict {
        if text == "# EOF" {
            return Ok(Line::Eof);
        }
        if text.is_empty() {
            return Err(cursor.fault("a blank line"));
        }
    }
    cursor.blanks();
    if cursor.rest.is_empty() && !cursor.strict {
        return Ok(Line::Blank);
    }
    if let Some(comment) = cursor.rest.strip_prefix('#') {
        return cursor.comment(comment);
    }
    let named = cursor.named()?;
    let tail = cursor.tail()?;
    Ok(Line::Sample(named, tail))
}

/// Reads what follows the labels, `from` a byte of the line on.
pub(super) fn tail(text: &str, from: usize) -> Result<Tail<'_>, Fault> {
    let rest = text.get(from..).unwrap_or_default();
    Cursor { text, rest, strict: false }.tail()
}

/// A text that is a series and nothing else: `name` or `name{label="value"}`.
pub(super) fn series(text: &str) -> Option<Named<'_>> {
    let mut cursor = Cursor { text, rest: text, strict: false };
    cursor.named().ok().filter(|_| cursor.ended())
}

/// A number as Go writes floats, without its hexadecimal and underscores.
pub(super) fn number(text: &str) -> Option<f64> {
    let plain = |b: u8| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E');
    if text.bytes().all(plain) {
        return text.parse().ok();
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text).to_ascii_lowercase();
    matches!(unsigned.as_str(), "inf" | "infinity" | "nan").then(|| text.parse().ok())?
}

/// A label value or a HELP text without its escapes. An escape that nobody defined stays as it is.
pub(super) fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            plain.push(character);
            continue;
        }
        match characters.next() {
            Some('n') => plain.push('\n'),
            Some(quote @ ('"' | '\\')) => plain.push(quote),
            other => {
                plain.push('\\');
                plain.extend(other);
            }
        }
    }
    Cow::Owned(plain)
}

/// Where a line is read.
struct Cursor<'a> {
    text: &'a str,
    rest: &'a str,
    strict: bool,
}

impl<'a> Cursor<'a> {
    fn fault(&self, reason: &'static str) -> Fault {
        Fault { at: self.text.len() - self.rest.len(), reason }
    }

    fn blanks(&mut self) {
        if !self.strict {
            self.rest = self.rest.trim_start();
        }
    }

    /// Takes a sign with the blanks around it.
    fn takes(&mut self, sign: char) -> bool {
        self.blanks();
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                self.blanks();
                true
            }
            None => false,
        }
    }

    /// Takes everything before the first byte that ends it.
    fn until(&mut self, ends: impl Fn(u8) -> bool) -> &'a str {
        let length = self.rest.bytes().position(ends).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    /// The one blank between two parts, or any number where that is forgiven.
    fn gap(&mut self, reason: &'static str) -> Result<(), Fault> {
        let rest = if self.strict {
            self.rest.strip_prefix(' ')
        } else {
            Some(self.rest.trim_start()).filter(|rest| rest.len() < self.rest.len())
        };
        self.rest = rest.ok_or_else(|| self.fault(reason))?;
        Ok(())
    }

    fn comment(mut self, comment: &'a str) -> Result<Line<'a>, Fault> {
        let words = if self.strict {
            comment.strip_prefix(' ').ok_or_else(|| self.fault("a comment"))?
        } else {
            comment.trim()
        };
        if words == "EOF" && !self.strict {
            return Ok(Line::Eof);
        }
        let kinds = [("HELP", Says::Help), ("TYPE", Says::Type), ("UNIT", Says::Unit)];
        let found = kinds.iter().find_map(|(word, says)| {
            let rest = words.strip_prefix(word)?;
            (rest.is_empty() || rest.starts_with([' ', '\t'])).then_some((*says, rest))
        });
        let Some((says, rest)) = found else {
            if self.strict {
                return Err(self.fault("a comment"));
            }
            return Ok(Line::Comment(words));
        };
        self.rest = rest;
        self.gap("no name behind the keyword")?;
        let name = if self.rest.starts_with('"') {
            Cow::Owned(self.quoted()?.into_owned())
        } else {
            Cow::Borrowed(self.until(|b| b == b' ' || b == b'\t'))
        };
        if name.is_empty() {
            return Err(self.fault("no name behind the keyword"));
        }
        let text = if self.strict {
            self.gap("nothing behind the name")?;
            self.rest
        } else {
            self.rest.trim()
        };
        Ok(Line::Metadata(Metadata { says, name, text }))
    }

    fn named(&mut self) -> Result<Named<'a>, Fault> {
        let whole = self.rest;
        let mut name = Cow::Borrowed(self.until(|b| !(is_name(b) || b == b':')));
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            self.rest = whole;
            return Err(self.fault("a name can’t begin with a digit"));
        }
        let mut labels = Vec::new();
        let bare = name.is_empty();
        let before = self.rest;
        if !self.strict {
            self.blanks();
        }
        let mut inside = false;
        if let Some(rest) = self.rest.strip_prefix('{') {
            self.rest = rest;
            let quoted = self.labels(&mut labels)?;
            if bare {
                let at = labels.iter().position(|(label, _)| label == "__name__");
                name = match (quoted, at) {
                    (Some(quoted), _) => quoted,
                    (None, Some(at)) => {
                        inside = true;
                        labels.remove(at).1
                    }
                    // A query's answer loses its name where it was computed.
                    (None, None) => return Err(self.fault("a series without a name")),
                };
            } else if quoted.is_some() {
                return Err(self.fault("two names"));
            }
        } else {
            self.rest = before;
            if bare {
                return Err(self.fault("no name at the beginning"));
            }
        }
        let mut names: Vec<&str> = labels.iter().map(|(label, _)| label.as_ref()).collect();
        names.sort_unstable();
        if names.windows(2).any(|pair| matches!(pair, [a, b] if a == b)) {
            return Err(self.fault("the same label twice"));
        }
        let length = whole.len() - self.rest.len();
        let written = whole.get(..length).unwrap_or_default();
        Ok(Named { name, inside, labels, written })
    }

    /// Reads labels up to the closing brace; gives a name that stood among them in quotes.
    fn labels(&mut self, labels: &mut Vec<Label<'a>>) -> Result<Option<Cow<'a, str>>, Fault> {
        let mut name = None;
        self.blanks();
        loop {
            if let Some(rest) = self.rest.strip_prefix('}') {
                self.rest = rest;
                return Ok(name);
            }
            let label = if self.rest.starts_with('"') {
                let quoted = self.quoted()?;
                self.blanks();
                if name.is_none() && labels.is_empty() && !self.rest.starts_with('=') {
                    name = Some(quoted);
                    self.separator()?;
                    continue;
                }
                quoted
            } else {
                let label = self.until(|b| !is_name(b));
                if label.is_empty() || label.starts_with(|c: char| c.is_ascii_digit()) {
                    return Err(self.fault("no label name"));
                }
                Cow::Borrowed(label)
            };
            if !self.takes('=') {
                return Err(self.fault("no `=` behind a label name"));
            }
            let value = self.quoted()?;
            labels.push((label, value));
            self.separator()?;
        }
    }

    /// A comma or the closing brace, which is left.
    fn separator(&mut self) -> Result<(), Fault> {
        self.blanks();
        if self.takes(',') {
            let ended = self.rest.starts_with('}') || self.rest.is_empty();
            if self.strict && ended {
                return Err(self.fault("a comma behind the last label"));
            }
            return Ok(());
        }
        if self.rest.starts_with('}') {
            return Ok(());
        }
        Err(self.fault(if self.rest.is_empty() {
            "labels without an end"
        } else {
            "no comma between labels"
        }))
    }

    fn quoted(&mut self) -> Result<Cow<'a, str>, Fault> {
        let Some(inner) = self.rest.strip_prefix('"') else {
            return Err(self.fault("no quotes around a label value"));
        };
        let mut escaped = false;
        let end = inner.bytes().position(|byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        });
        let Some((value, rest)) =
            end.and_then(|end| Some((inner.get(..end)?, inner.get(end + 1..)?)))
        else {
            return Err(self.fault("a label value without an end"));
        };
        self.rest = rest;
        Ok(unescaped(value))
    }

    fn tail(&mut self) -> Result<Tail<'a>, Fault> {
        self.gap("no value behind the name")?;
        let value = if !self.strict && self.rest.starts_with('{') {
            self.native()?
        } else {
            Value::Number(self.value()?)
        };
        let mut time = None;
        if !self.ended() && !self.exemplar_begins() {
            self.gap("no blank behind the value")?;
            let before = self.rest;
            let token = self.until(|b| b == b' ' || b == b'\t');
            if !number(token).is_some_and(f64::is_finite) {
                self.rest = before;
                return Err(self.fault("a time that is no number"));
            }
            time = Some(token);
        }
        let mut exemplar = Exemplar::Absent;
        if self.exemplar_begins() {
            exemplar = match self.exemplar() {
                Ok(()) => Exemplar::Present,
                Err(fault) if self.strict => return Err(fault),
                Err(fault) => {
                    self.rest = "";
                    Exemplar::Broken(fault)
                }
            };
        }
        if !self.ended() {
            return Err(self.fault("more behind the value and its time"));
        }
        Ok(Tail { value, time, exemplar })
    }

    fn ended(&self) -> bool {
        if self.strict { self.rest.is_empty() } else { self.rest.trim_start().is_empty() }
    }

    fn exemplar_begins(&self) -> bool {
        if self.strict {
            self.rest.starts_with(" # ")
        } else {
            self.rest.trim_start().starts_with('#')
        }
    }

    fn value(&mut self) -> Result<f64, Fault> {
        let before = self.rest;
        let token = self.until(|b| b == b' ' || b == b'\t');
        if token.is_empty() {
            return Err(self.fault("no value behind the name"));
        }
        number(token).ok_or_else(|| {
            self.rest = before;
            self.fault("a value that is no number")
        })
    }

    /// `{count:2, sum:3, (0.5,1]:2}`, as `promtool tsdb dump` writes a native histogram.
    fn native(&mut self) -> Result<Value, Fault> {
        match self.rest.split_once('}') {
            Some((inside, rest)) if inside.contains("count:") => {
                self.rest = rest;
                Ok(Value::Native)
            }
            _ => Err(self.fault("a value that is no number")),
        }
    }

    fn exemplar(&mut self) -> Result<(), Fault> {
        let rest = self.rest.trim_start().strip_prefix('#').unwrap_or_default();
        self.rest = rest;
        self.gap("no blank before an exemplar")?;
        if !self.takes('{') {
            return Err(self.fault("an exemplar without labels"));
        }
        let mut labels = Vec::new();
        self.labels(&mut labels)?;
        let size = |(name, value): &Label<'_>| name.chars().count() + value.chars().count();
        if self.strict && labels.iter().map(size).sum::<usize>() > EXEMPLAR_CHARACTERS {
            return Err(self.fault("an exemplar of more than 128 characters"));
        }
        self.gap("an exemplar without a value")?;
        self.value()?;
        if self.ended() {
            return Ok(());
        }
        self.gap("no blank behind an exemplar’s value")?;
        let time = self.until(|b| b == b' ' || b == b'\t');
        if number(time).is_some_and(f64::is_finite) {
            return Ok(());
        }
        Err(self.fault("an exemplar’s time that is no number"))
    }
}

const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}
