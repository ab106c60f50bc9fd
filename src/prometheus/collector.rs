//! Samples that a benchmark took of a server, into a dump.

use super::store::Store;
use crate::model::{Dump, DumpShape};
use crate::notice::Notices;
use crate::units::UnixTime;

/// Collects samples with their times, in any order.
pub struct Collector {
    store: Store,
}

impl Collector {
    /// Nothing so far, of a file of this shape.
    pub fn new(shape: DumpShape) -> Self {
        Self { store: Store::new(shape) }
    }

    /// Takes a sample. Histograms come as `_bucket` with `le`, `_sum` and `_count`.
    pub fn sample(&mut self, name: &str, labels: &[(&str, &str)], at: UnixTime, value: f64) {
        if let Some(series) = self.store.series(name, labels, name) {
            self.store.value(series, value, Some(at));
        }
    }

    /// The dump, if any sample came.
    pub fn finish(self, out: &mut Notices) -> Option<Dump> {
        (!self.store.is_empty()).then(|| self.store.finish(out))
    }
}
