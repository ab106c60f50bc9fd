//! Statistics on plain slices: quantiles, bootstrap, seeded randomness. Knows nothing of what the numbers mean.
