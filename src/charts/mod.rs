//! Charts: a `Spec` of axes, series and marks, drawn by one generic path on any plotters backend.
