//! `check` on pages of server metrics: the traps that apply, as findings.

use super::metrics_json::{Json, Members, Object};
use super::output::TextTable;
use crate::model::ServerDump;
use crate::notice::Severity;
use crate::prometheus::traps::{Caution, cautions};
use crate::prometheus::{Ask, account};
use std::io::{self, Write};

/// One page, or a file of several, with what is to be known of it.
pub(super) struct Server<'a> {
    dump: &'a ServerDump,
    /// The traps that apply, the gravest first.
    found: Vec<Caution>,
}

impl<'a> Server<'a> {
    /// What applies to a dump.
    pub(super) fn of(dump: &'a ServerDump) -> Self {
        let mut found = cautions(&account(&dump.dump, &Ask::default()));
        let rank = |severity| match severity {
            Severity::Block => 0,
            Severity::Warn => 1,
            Severity::Note => 2,
        };
        found.sort_by_key(|caution| rank(caution.severity));
        Self { dump, found }
    }

    /// The finding that keeps it out of comparisons, if there is one.
    pub(super) fn blocked(&self) -> Option<&Caution> {
        self.found.iter().find(|caution| caution.severity == Severity::Block)
    }

    /// For a terminal.
    pub(super) fn block(&self, out: &mut dyn Write) -> io::Result<()> {
        let state = match self.blocked() {
            Some(_) => " · blocked: not to be compared until somebody has looked",
            None => "",
        };
        writeln!(out, "{}", self.dump.name)?;
        let provenance = &self.dump.provenance;
        writeln!(out, "{} · {}{state}", provenance.file, provenance.format)?;
        for caution in &self.found {
            writeln!(out, "  {}: {}", caution.severity.word(), caution.trap)?;
            writeln!(out, "    {}", caution.text)?;
        }
        if self.found.is_empty() {
            writeln!(out, "  no trap of server metrics applies")?;
        }
        Ok(())
    }

    /// One line a finding.
    pub(super) fn rows(&self, table: &mut TextTable) {
        for caution in &self.found {
            table.row([
                self.dump.name.clone(),
                self.dump.provenance.file.clone(),
                caution.severity.word().to_owned(),
                caution.trap.to_owned(),
                caution.trap.replace('-', " "),
                String::new(),
                String::new(),
                caution.text.clone(),
                String::new(),
                String::new(),
            ]);
        }
    }

    /// As JSON.
    pub(super) fn object(&self) -> Object {
        let provenance = &self.dump.provenance;
        let source = Members::default()
            .with("file", provenance.file.as_str())
            .with("format", provenance.format.as_str())
            .with("sha256", provenance.sha256.hex())
            .with("bytes", provenance.bytes);
        let finding = |caution: &Caution| {
            Members::default()
                .with("id", caution.trap)
                .with("severity", caution.severity.word())
                .with("text", caution.text.as_str())
                .with("series", caution.keys.clone())
                .json()
        };
        let blocked = self.blocked().map_or(Json::Plain(serde_json::Value::Null), finding);
        Members::default()
            .with("id", self.dump.id.as_str())
            .with("name", self.dump.name.as_str())
            .with_json("source", source.json())
            .with_json("blocked", blocked)
            .with_json("findings", Json::List(self.found.iter().map(finding).collect()))
            .object()
    }
}
