//! The one serial form of a run: a JSON header and raw little-endian buffers.
//!
//! Layout: magic `SMRL`, schema (u32 LE), header length (u64 LE), header JSON, then the buffers in
//! the order in which the header names them. History: `docs/pack-format.md`.

use super::{
    Column, EndRule, FirstTokenRule, GapKind, Origin, Outcome, Ragged, Requests, Run, TokenSource,
};
use crate::units::{Quantity, Seconds, Tokens, Turn};
use serde::{Deserialize, Serialize};

/// The schema that [`encode`] writes.
pub const SCHEMA: u32 = 4;

const MAGIC: &[u8; 4] = b"SMRL";

/// Why a pack could not be read.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum PackError {
    /// The bytes do not start as a pack does.
    #[error("these bytes are not a Same Ruler pack")]
    NotAPack,
    /// A newer version wrote it.
    #[error(
        "this pack has schema {found}, newer than {SCHEMA}: reload the page or update the command"
    )]
    Newer {
        /// The pack's schema.
        found: u32,
    },
    /// The bytes end early or the header does not fit them.
    #[error("this pack is damaged: {0}")]
    Damaged(String),
}

#[derive(Serialize, Deserialize)]
struct Header {
    run: Run,
    requests: Option<Table>,
}

#[derive(Serialize, Deserialize)]
struct Table {
    len: usize,
    outcome: Vec<Outcome>,
    token_source: TokenSource,
    first_token_rule: FirstTokenRule,
    end_rule: EndRule,
    gap_kind: GapKind,
    columns: Vec<ColumnHeader>,
}

#[derive(Serialize, Deserialize)]
struct ColumnHeader {
    name: String,
    unit: String,
    origin: Origin,
    /// Number of values; for a ragged column the rows are `len` ends before them.
    values: usize,
}

/// Writes a run as bytes.
///
/// # Errors
/// When the header can't be written as JSON, which no run that was read from a file causes.
pub fn encode(run: &Run) -> Result<Vec<u8>, PackError> {
    let mut buffers = Vec::new();
    let requests = run.requests.as_ref().map(|requests| {
        let mut writer = Writer { columns: Vec::new(), bytes: &mut buffers };
        writer.column("input_tokens", &requests.input_tokens);
        writer.column("output_tokens", &requests.output_tokens);
        writer.column("retokenized", &requests.retokenized);
        writer.column("ttft", &requests.ttft);
        writer.column("first_answer", &requests.first_answer);
        writer.column("e2e", &requests.e2e);
        writer.column("last_token", &requests.last_token);
        writer.ragged("gaps", &requests.gaps);
        writer.ragged("event_tokens", &requests.event_tokens);
        writer.column("request_itl", &requests.request_itl);
        writer.column("start", &requests.start);
        writer.column("queue_wait", &requests.queue_wait);
        writer.column("turn", &requests.turn);
        writer.column("cached_tokens", &requests.cached_tokens);
        Table {
            len: requests.len(),
            outcome: requests.outcome.clone(),
            token_source: requests.token_source,
            first_token_rule: requests.first_token_rule,
            end_rule: requests.end_rule,
            gap_kind: requests.gap_kind,
            columns: writer.columns,
        }
    });
    let header = Header { run: Run { requests: None, ..run.clone() }, requests };
    let json = serde_json::to_vec(&header).map_err(|e| PackError::Damaged(e.to_string()))?;
    let mut out = Vec::with_capacity(16 + json.len() + buffers.len());
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&SCHEMA.to_le_bytes());
    out.extend_from_slice(&(json.len() as u64).to_le_bytes());
    out.extend_from_slice(&json);
    out.extend_from_slice(&buffers);
    Ok(out)
}

/// Reads a run back.
///
/// # Errors
/// When the bytes are no pack, of a newer schema, or damaged. Never panics on any bytes.
pub fn decode(bytes: &[u8]) -> Result<Run, PackError> {
    let mut reader = Reader { rest: bytes };
    if reader.take(4).ok() != Some(MAGIC.as_slice()) {
        return Err(PackError::NotAPack);
    }
    let found = u32::from_le_bytes(reader.array()?);
    if found > SCHEMA {
        return Err(PackError::Newer { found });
    }
    let length = usize::try_from(u64::from_le_bytes(reader.array()?))
        .map_err(|_| PackError::Damaged("its header is too long".into()))?;
    let header: Header = serde_json::from_slice(reader.take(length)?)
        .map_err(|e| PackError::Damaged(e.to_string()))?;
    let mut run = header.run;
    if let Some(table) = header.requests {
        run.requests = Some(read_table(upgraded(table, found), &mut reader)?);
    }
    Ok(run)
}

/// The table of an older pack as one of this schema: columns that came later are absent.
fn upgraded(mut table: Table, found: u32) -> Table {
    let absent = |name: &str, unit: &str| ColumnHeader {
        name: name.to_owned(),
        unit: unit.to_owned(),
        origin: Origin::Absent,
        values: 0,
    };
    if found < 2 {
        // Where they stand among the nine columns of the first schema, the last one first.
        for (at, name) in [(7, "request_itl"), (5, "last_token"), (4, "first_answer")] {
            table.columns.insert(at.min(table.columns.len()), absent(name, Seconds::NAME));
        }
    }
    if found < 4 {
        table.columns.push(absent("turn", Turn::NAME));
        table.columns.push(absent("cached_tokens", Tokens::NAME));
    }
    table
}

fn read_table(table: Table, reader: &mut Reader<'_>) -> Result<Requests, PackError> {
    let len = table.len;
    if table.outcome.len() != len {
        return Err(PackError::Damaged("outcomes and rows differ in number".into()));
    }
    let mut columns = table.columns.into_iter();
    Ok(Requests {
        outcome: table.outcome,
        token_source: table.token_source,
        first_token_rule: table.first_token_rule,
        end_rule: table.end_rule,
        gap_kind: table.gap_kind,
        input_tokens: reader.column("input_tokens", len, columns.next())?,
        output_tokens: reader.column("output_tokens", len, columns.next())?,
        retokenized: reader.column("retokenized", len, columns.next())?,
        ttft: reader.column("ttft", len, columns.next())?,
        first_answer: reader.column("first_answer", len, columns.next())?,
        e2e: reader.column("e2e", len, columns.next())?,
        last_token: reader.column("last_token", len, columns.next())?,
        gaps: reader.ragged("gaps", len, columns.next())?,
        event_tokens: reader.ragged("event_tokens", len, columns.next())?,
        request_itl: reader.column("request_itl", len, columns.next())?,
        start: reader.column("start", len, columns.next())?,
        queue_wait: reader.column("queue_wait", len, columns.next())?,
        turn: reader.column("turn", len, columns.next())?,
        cached_tokens: reader.column("cached_tokens", len, columns.next())?,
    })
}

struct Writer<'a> {
    columns: Vec<ColumnHeader>,
    bytes: &'a mut Vec<u8>,
}

impl Writer<'_> {
    fn header<T: Quantity>(&mut self, name: &str, origin: &Origin, values: usize) {
        self.columns.push(ColumnHeader {
            name: name.to_owned(),
            unit: T::NAME.to_owned(),
            origin: origin.clone(),
            values,
        });
    }

    /// A missing value is written as NaN, which no present value can be.
    fn column<T: Quantity>(&mut self, name: &str, column: &Column<T>) {
        let values = if column.is_absent() { 0 } else { column.len() };
        self.header::<T>(name, column.origin(), values);
        for value in column.iter().take(values) {
            let raw = value.map_or(f64::NAN, Quantity::raw);
            self.bytes.extend_from_slice(&raw.to_le_bytes());
        }
    }

    /// Row lengths first (u64::MAX marks an absent row), then the values.
    fn ragged<T: Quantity>(&mut self, name: &str, ragged: &Ragged<T>) {
        self.header::<T>(name, ragged.origin(), ragged.values().len());
        for row in ragged.rows() {
            let length = row.map_or(u64::MAX, |row| row.len() as u64);
            self.bytes.extend_from_slice(&length.to_le_bytes());
        }
        for value in ragged.values() {
            self.bytes.extend_from_slice(&value.raw().to_le_bytes());
        }
    }
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], PackError> {
        let (taken, rest) = self
            .rest
            .split_at_checked(count)
            .ok_or_else(|| PackError::Damaged("it ends early".into()))?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], PackError> {
        self.take(N)?.try_into().map_err(|_| PackError::Damaged("it ends early".into()))
    }

    fn float(&mut self) -> Result<f64, PackError> {
        Ok(f64::from_le_bytes(self.array()?))
    }

    fn header<T: Quantity>(
        name: &str,
        header: Option<ColumnHeader>,
    ) -> Result<ColumnHeader, PackError> {
        header
            .filter(|h| h.name == name && h.unit == T::NAME)
            .ok_or_else(|| PackError::Damaged(format!("column “{name}” is not where it should be")))
    }

    fn column<T: Quantity>(
        &mut self,
        name: &str,
        len: usize,
        header: Option<ColumnHeader>,
    ) -> Result<Column<T>, PackError> {
        let header = Self::header::<T>(name, header)?;
        if header.values == 0 {
            return Ok(Column::missing(header.origin, len));
        }
        if header.values != len {
            return Err(PackError::Damaged(format!("column “{name}” has the wrong length")));
        }
        let mut column = Column::new(header.origin);
        for _ in 0..len {
            let raw = self.float()?;
            column.push((!raw.is_nan()).then(|| T::from_raw(raw)));
        }
        Ok(column)
    }

    fn ragged<T: Quantity>(
        &mut self,
        name: &str,
        len: usize,
        header: Option<ColumnHeader>,
    ) -> Result<Ragged<T>, PackError> {
        let header = Self::header::<T>(name, header)?;
        let mut rows = Vec::new();
        for _ in 0..len {
            let length = u64::from_le_bytes(self.array()?);
            rows.push((length != u64::MAX).then_some(length));
        }
        let mut ragged = Ragged::new(header.origin);
        for row in rows {
            for _ in 0..row.unwrap_or(0) {
                ragged.push(T::from_raw(self.float()?));
            }
            ragged.end_row(row.is_some());
        }
        if ragged.values().len() == header.values {
            Ok(ragged)
        } else {
            Err(PackError::Damaged(format!("column “{name}” has the wrong length")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Digest, Provenance, Tool};
    use proptest::prelude::*;

    fn run_of(requests: Option<Requests>) -> Run {
        let digest = Digest::of(b"a file");
        let provenance = Provenance::new("a.json", 6, digest, "vllm-bench", "its keys");
        Run { requests, scripted: true, ..Run::new(Tool::Vllm, "a run", provenance) }
    }

    fn table(rows: &[(Option<f64>, Option<Vec<f64>>)]) -> Requests {
        let mut requests = Requests::absent(rows.len());
        requests.ttft = Column::from_options(
            Origin::Reported,
            rows.iter().map(|(t, _)| t.map(Seconds::from_secs)),
        );
        let mut gaps = Ragged::new(Origin::Reported);
        for (_, row) in rows {
            let row: Option<Vec<_>> =
                row.as_ref().map(|r| r.iter().map(|g| Seconds::from_secs(*g)).collect());
            gaps.push_row(row.as_deref());
        }
        requests.gaps = gaps;
        requests.output_tokens = Column::from_options(
            Origin::Reported,
            rows.iter().map(|_| Some(Tokens::from_count(3.0))),
        );
        requests
    }

    proptest! {
        #[test]
        fn what_goes_in_comes_out(
            rows in prop::collection::vec(
                (prop::option::of(0.0..10.0), prop::option::of(prop::collection::vec(0.0..1.0, 0..5))),
                0..20,
            )
        ) {
            let run = run_of(Some(table(&rows)));
            let back = decode(&encode(&run).unwrap()).unwrap();
            prop_assert_eq!(run, back);
        }

        #[test]
        fn damage_never_panics(cut in 0usize..600, flip in 0usize..600, bit in 0u8..8) {
            let rows = [(Some(1.0), Some(vec![0.1, 0.2])), (None, None)];
            let mut bytes = encode(&run_of(Some(table(&rows)))).unwrap();
            if let Some(byte) = bytes.get_mut(flip) {
                *byte ^= 1 << bit;
            }
            bytes.truncate(bytes.len().saturating_sub(cut));
            let _ = decode(&bytes);
        }
    }

    #[test]
    fn packs_of_older_schemas_have_no_later_columns() {
        let run = run_of(Some(table(&[(Some(1.0), Some(vec![0.1]))])));
        let bytes = encode(&run).unwrap();
        let length = u64::from_le_bytes(bytes[8..16].try_into().unwrap()) as usize;
        let (header, buffers) = bytes[16..].split_at(length);
        let of_4 = ["turn", "cached_tokens"];
        let of_2 = ["first_answer", "last_token", "request_itl"];
        let schemas = [(1_u32, [&of_4[..], &of_2[..]].concat()), (3, of_4.to_vec())];
        for (schema, later) in schemas {
            let mut header: Header = serde_json::from_slice(header).unwrap();
            let columns = &mut header.requests.as_mut().unwrap().columns;
            columns.retain(|c| !later.contains(&c.name.as_str()));
            let json = serde_json::to_vec(&header).unwrap();
            let mut old = MAGIC.to_vec();
            old.extend_from_slice(&schema.to_le_bytes());
            old.extend_from_slice(&(json.len() as u64).to_le_bytes());
            old.extend_from_slice(&json);
            old.extend_from_slice(buffers);
            assert_eq!(decode(&old).unwrap(), run, "schema {schema}");
        }
    }

    #[test]
    fn turns_and_cached_tokens_come_back() {
        let mut requests = table(&[(Some(1.0), None), (Some(2.0), None)]);
        requests.turn =
            Column::from_options(Origin::Reported, [1.0, 2.0].map(|turn| Some(Turn::nth(turn))));
        requests.cached_tokens =
            Column::from_options(Origin::Reported, [Some(Tokens::from_count(64.0)), None]);
        let run = run_of(Some(requests));
        assert_eq!(decode(&encode(&run).unwrap()).unwrap(), run);
    }

    #[test]
    fn a_newer_pack_is_refused_with_advice() {
        let mut bytes = encode(&run_of(None)).unwrap();
        bytes[4..8].copy_from_slice(&(SCHEMA + 1).to_le_bytes());
        let error = decode(&bytes).unwrap_err();
        assert_eq!(error, PackError::Newer { found: SCHEMA + 1 });
        assert!(error.to_string().contains("reload"));
    }
}
