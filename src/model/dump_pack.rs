//! The serial form of a server's dump: names once each in a JSON header, values in columns behind it.
//!
//! Layout as that of a run (`pack`), with the magic `SMRD`; the buffers are the readings (u32 LE), the times
//! (f64 LE, NaN where there is none) and the values (f64 LE) of all series, one after another.

use super::pack::PackError;
use super::{Dump, DumpShape, Family, Point, Provenance, RunId, Scrape, Series, ServerDump};
use crate::units::UnixTime;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The schema that [`encode`] writes.
pub const SCHEMA: u32 = 1;

const MAGIC: &[u8; 4] = b"SMRD";

#[derive(Serialize, Deserialize)]
struct Header {
    id: RunId,
    name: String,
    scripted: bool,
    provenance: Provenance,
    shape: DumpShape,
    scrapes: Vec<Scrape>,
    families: Vec<Family>,
    /// Names of series, of labels, and values of labels.
    texts: Vec<String>,
    series: Vec<Row>,
}

#[derive(Serialize, Deserialize)]
struct Row {
    family: u32,
    name: u32,
    labels: Vec<(u32, u32)>,
    points: usize,
}

/// Whether bytes begin as a packed dump does.
pub fn is_dump(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Writes a dump as bytes.
///
/// # Errors
/// When the header can't be written as JSON, which no dump that was read from a file causes.
pub fn encode(server: &ServerDump) -> Result<Vec<u8>, PackError> {
    let Dump { shape, scrapes, families, series } = &server.dump;
    let mut texts = Texts::default();
    let rows = series
        .iter()
        .map(|series| Row {
            family: series.family,
            name: texts.number(&series.name),
            labels: series.labels.iter().map(|(l, v)| (texts.number(l), texts.number(v))).collect(),
            points: series.points.len(),
        })
        .collect();
    let header = Header {
        id: server.id.clone(),
        name: server.name.clone(),
        scripted: server.scripted,
        provenance: server.provenance.clone(),
        shape: *shape,
        scrapes: scrapes.clone(),
        families: families.clone(),
        texts: texts.all,
        series: rows,
    };
    let json = serde_json::to_vec(&header).map_err(|e| PackError::Damaged(e.to_string()))?;
    let points = || series.iter().flat_map(|series| &series.points);
    let mut out = Vec::with_capacity(16 + json.len() + 20 * points().count());
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&SCHEMA.to_le_bytes());
    out.extend_from_slice(&(json.len() as u64).to_le_bytes());
    out.extend_from_slice(&json);
    points().for_each(|point| out.extend_from_slice(&point.scrape.to_le_bytes()));
    for point in points() {
        out.extend_from_slice(&point.at.map_or(f64::NAN, UnixTime::as_secs).to_le_bytes());
    }
    points().for_each(|point| out.extend_from_slice(&point.value.to_le_bytes()));
    Ok(out)
}

/// Reads a dump back.
///
/// # Errors
/// When the bytes are no packed dump, of a newer schema, or damaged. Never panics on any bytes.
pub fn decode(bytes: &[u8]) -> Result<ServerDump, PackError> {
    let damaged = |what: &str| PackError::Damaged(what.to_owned());
    let rest = bytes.strip_prefix(MAGIC).ok_or(PackError::NotAPack)?;
    let (schema, rest) = rest.split_first_chunk().ok_or_else(|| damaged("it ends early"))?;
    let found = u32::from_le_bytes(*schema);
    if found > SCHEMA {
        return Err(PackError::Newer { found });
    }
    let (length, rest) = rest.split_first_chunk().ok_or_else(|| damaged("it ends early"))?;
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    let (json, buffers) = rest.split_at_checked(length).ok_or_else(|| damaged("it ends early"))?;
    let header: Header =
        serde_json::from_slice(json).map_err(|e| PackError::Damaged(e.to_string()))?;
    let mut points = header.series.iter().try_fold(0_usize, |sum, row| sum.checked_add(row.points));
    points = points.filter(|count| count.checked_mul(20) == Some(buffers.len()));
    let count = points.ok_or_else(|| damaged("its values and their numbers differ"))?;
    let (scrapes, floats) = buffers.split_at_checked(4 * count).unwrap_or_default();
    let (times, values) = floats.split_at_checked(8 * count).unwrap_or_default();
    let float = |bytes: &[u8; 8]| f64::from_le_bytes(*bytes);
    let mut points = scrapes
        .as_chunks::<4>()
        .0
        .iter()
        .zip(times.as_chunks::<8>().0)
        .zip(values.as_chunks::<8>().0)
        .map(|((scrape, time), value)| Point {
            scrape: u32::from_le_bytes(*scrape),
            at: Some(float(time)).filter(|time| !time.is_nan()).map(UnixTime::from_secs),
            value: float(value),
        });
    let text = |number: u32| header.texts.get(number as usize).cloned();
    let mut series = Vec::with_capacity(header.series.len());
    for row in &header.series {
        let labels = row.labels.iter().map(|(l, v)| Some((text(*l)?, text(*v)?)));
        let named = text(row.name).zip(labels.collect::<Option<Vec<_>>>());
        let (name, labels) = named.ok_or_else(|| damaged("a name is missing"))?;
        if row.family as usize >= header.families.len() {
            return Err(damaged("a family is missing"));
        }
        let points: Vec<Point> = points.by_ref().take(row.points).collect();
        if points.iter().any(|point| point.scrape as usize >= header.scrapes.len()) {
            return Err(damaged("a reading is missing"));
        }
        series.push(Series { family: row.family, name, labels, points });
    }
    let Header { id, name, scripted, provenance, shape, scrapes, families, .. } = header;
    let dump = Dump { shape, scrapes, families, series };
    Ok(ServerDump { id, name, scripted, dump, provenance })
}

/// Texts, each once.
#[derive(Default)]
struct Texts<'t> {
    all: Vec<String>,
    numbers: BTreeMap<&'t str, u32>,
}

impl<'t> Texts<'t> {
    fn number(&mut self, text: &'t str) -> u32 {
        let next = self.all.len() as u32;
        *self.numbers.entry(text).or_insert_with(|| {
            self.all.push(text.to_owned());
            next
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Digest, FamilyKind};

    fn sample() -> ServerDump {
        let point = |scrape, at, value| Point { scrape, at, value };
        let labels = vec![("le".to_owned(), "1".to_owned()), ("pod".into(), "le".into())];
        let dump = Dump {
            shape: DumpShape::Federation,
            scrapes: vec![
                Scrape { at: Some(UnixTime::from_secs(1.5)), title: None },
                Scrape { at: None, title: Some("after".into()) },
            ],
            families: vec![Family {
                name: "h".into(),
                kind: FamilyKind::Histogram,
                help: Some("Help.".into()),
                unit: None,
            }],
            series: vec![
                Series {
                    family: 0,
                    name: "h_bucket".into(),
                    labels,
                    points: vec![
                        point(0, Some(UnixTime::from_secs(1.5)), 3.0),
                        point(1, None, f64::INFINITY),
                    ],
                },
                Series { family: 0, name: "h_sum".into(), labels: Vec::new(), points: Vec::new() },
            ],
        };
        let sha = Digest::of(b"x");
        ServerDump::new(dump, Provenance::new("a/b.prom", 1, sha, "prometheus-dump", "why"))
    }

    #[test]
    fn a_dump_survives_its_pack() {
        let server = sample();
        let bytes = encode(&server).unwrap();
        assert!(is_dump(&bytes));
        assert_eq!(decode(&bytes), Ok(server.clone()));
        assert_eq!(server.name, "b.prom");
        assert_ne!(server.id, RunId::of(&server.provenance.sha256, 0));
    }

    #[test]
    fn damage_is_told_and_never_panics() {
        let bytes = encode(&sample()).unwrap();
        for cut in 0..bytes.len() {
            assert!(decode(&bytes[..cut]).is_err(), "{cut}");
        }
        for at in 0..bytes.len() {
            let mut flipped = bytes.clone();
            flipped[at] ^= 0x55;
            let _ = decode(&flipped);
        }
        let mut newer = bytes;
        newer[4] = 9;
        assert_eq!(decode(&newer), Err(PackError::Newer { found: 9 }));
    }
}
