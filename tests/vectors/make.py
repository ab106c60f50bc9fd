"""Writes vectors.jsonl.gz beside this script: what numpy, pandas and the tools' formulas say.

Run it from anywhere, with Python 3.11 or newer, numpy 2.4 and pandas 3.0 or newer:

    python -m venv venv && venv/bin/pip install numpy==2.4.6 pandas
    venv/bin/python tests/vectors/make.py

Seeds are fixed, so the same versions write the same file. `tests/vectors.rs` compares the crate with it.
Nothing here is taken from the crate: numpy and pandas are called, and the rules of other tools are
written from their formulas, on exact fractions where a formula speaks of a rank.

The first line says what was used and which quantiles. A sample's line holds
    v           the values as drawn                w        their weights, if any
    np, pd      linear quantiles (type 7)          mean     numpy.mean
    std         numpy.std with ddof 0 and 1        pdstd    the same of pandas
    mad         median |v - median|, numpy
    nearest, floor, rounded, step                  places in the sorted sample, counted from 0
    le, cum     edges and cumulative counts        prom     histogram_quantile on them
The last lines hold [n, q, low, high]: ranks of the order-statistic interval, or nulls.
"""

import gzip
import json
import math
import pathlib
from fractions import Fraction

import numpy as np
import pandas as pd

SAMPLES = 1000
QUANTILES = ["0", "0.01", "0.05", "0.1", "0.25", "0.5", "0.75", "0.9", "0.95", "0.99", "0.999", "1"]
EDGES = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0]


def draw(rng, number):
    """A sample: its size and kind change with its number."""
    size = [1, 2, 3, 5, 10, 20, 21, 40, 60, 99, 100, 101, 7, 129, 257][number % 15]
    if number % 97 == 0:
        size = 1200
    kind = number % 8
    if kind == 0:
        return np.round(rng.exponential(0.1, size), 5)
    if kind == 1:
        return np.round(rng.lognormal(-2.0, 1.0, size), 4)
    if kind == 2:  # ties
        return rng.integers(0, 4, size) / 8.0
    if kind == 3:  # all the same
        return np.full(size, round(float(rng.uniform(0, 50)), 3))
    if kind == 4:  # two modes, as of tokens in bursts
        return np.where(rng.random(size) < 0.66, 0.00002, np.round(rng.normal(0.06, 0.002, size), 6))
    if kind == 5:  # one far value
        sample = np.round(rng.normal(0.02, 0.001, size), 6)
        sample[-1] = 400.0
        return sample
    if kind == 6:  # magnitudes that squares still fit into a double
        return rng.uniform(0.1, 1.0, size) * 10.0 ** rng.integers(-140, 140)
    return np.round(rng.uniform(-5.0, 5.0, size), 3)


def weights(rng, number, size):
    """Token counts, which are whole; now and then a zero, or weights that are not whole."""
    if number % 3:
        return None
    if number % 9 == 0:
        return np.round(rng.uniform(0.1, 3.0, size), 2)
    counts = rng.integers(0 if number % 2 else 1, 300, size).astype(float)
    return counts if counts.sum() > 0 else counts + 1.0


def nearest_rank(n, p):
    """Element ceil(p N), counted from 1; p = 0 is the first."""
    return max(math.ceil(p * n), 1) - 1


def floor_index(n, p):
    """Element floor(p N), counted from 0; p = 1 is the last (MLPerf, trtllm-bench)."""
    return min(math.floor(p * n), n - 1)


def rounded_index(n, p):
    """Element round(p (N - 1)) in doubles, halves to even, as Python's round in tools that do this."""
    return round(float(p) * (n - 1))


def weighted_step(ordered, heavy, p):
    """GuideLLM: the first distinct value whose cumulative share of the weight reaches p."""
    distinct, group = np.unique(ordered, return_inverse=True)
    share = np.bincount(group, weights=heavy) / heavy.sum()
    reached = np.cumsum(share)
    # A value without weight is no step of the distribution.
    present = np.bincount(group, weights=heavy) > 0
    for value, cumulative, there in zip(distinct, reached, present):
        if there and cumulative >= float(p):
            return int(np.searchsorted(ordered, value))
    return int(np.searchsorted(ordered, distinct[present][-1]))


def bucket_linear(edges, cumulative, total, p):
    """PromQL's histogram_quantile on classic buckets; None for NaN."""
    if total == 0:
        return None
    rank = float(p) * total
    for at, (edge, count) in enumerate(zip(edges, cumulative)):
        if count >= rank:
            start = edges[at - 1] if at else 0.0
            below = cumulative[at - 1] if at else 0
            if count == below:
                return None
            return start + (edge - start) * ((rank - below) / (count - below))
    return edges[-1]


def order_interval(n, p):
    """Ranks (from 0) of the 95 % interval of the p quantile, each tail at most 2.5 %, exactly."""
    tail = Fraction(25, 1000)
    top, bottom = p.numerator, p.denominator
    whole = bottom**n

    def cumulative(success):
        """For each k: P(B <= k) of B binomial in n and success / bottom, times whole."""
        total = 0
        for k in range(n + 1):
            total += math.comb(n, k) * success**k * (bottom - success) ** (n - k)
            yield k, total

    def first_beyond(success):
        for k, total in cumulative(success):
            if total > tail * whole:
                return k
        raise AssertionError

    low, mirrored = first_beyond(top), first_beyond(bottom - top)
    if low < 1 or mirrored < 1:
        return None, None
    return low - 1, n - mirrored


def sample_line(rng, number):
    values = draw(rng, number)
    size = len(values)
    ordered = np.sort(values)
    heavy = weights(rng, number, size)
    exact = [Fraction(q) for q in QUANTILES]
    inexact = [float(q) for q in QUANTILES]
    line = {
        "v": values.tolist(),
        "np": [float(np.quantile(values, q)) for q in inexact],
        "pd": [float(x) for x in pd.Series(values).quantile(inexact)],
        "mean": float(np.mean(values)),
        "std": [float(np.std(values)), float(np.std(values, ddof=1)) if size > 1 else None],
        "pdstd": [float(pd.Series(values).std(ddof=0)), float(pd.Series(values).std()) if size > 1 else None],
        "mad": float(np.median(np.abs(values - np.median(values)))),
        "nearest": [nearest_rank(size, p) for p in exact],
        "floor": [floor_index(size, p) for p in exact],
        "rounded": [rounded_index(size, p) for p in exact],
    }
    if heavy is not None:
        order = np.argsort(values, kind="stable")
        line["w"] = heavy.tolist()
        line["step"] = [weighted_step(ordered, heavy[order], p) for p in exact]
    if values.min() >= 0.0 and values.max() < 1e6:
        cumulative = [int((values <= edge).sum()) for edge in EDGES]
        line["cum"] = cumulative
        line["prom"] = [bucket_linear(EDGES, cumulative, size, p) for p in exact]
    return line


def main():
    rng = np.random.default_rng(20261129)
    lines = [{"numpy": np.__version__, "pandas": pd.__version__, "q": [float(q) for q in QUANTILES], "le": EDGES}]
    lines += [sample_line(rng, number) for number in range(SAMPLES)]
    for n in [1, 5, 6, 7, 19, 20, 35, 36, 71, 72, 100, 101, 250, 367, 368, 400, 500]:
        for p in ["0.01", "0.05", "0.25", "0.5", "0.9", "0.95", "0.99"]:
            lines.append({"order": [n, float(p), *order_interval(n, Fraction(p))]})
    text = "\n".join(json.dumps(line, separators=(",", ":")) for line in lines) + "\n"
    path = pathlib.Path(__file__).with_name("vectors.jsonl.gz")
    with path.open("wb") as raw, gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0, compresslevel=9) as out:
        out.write(text.encode())
    print(f"{len(lines)} lines, {len(text)} bytes, {path.stat().st_size} compressed")


if __name__ == "__main__":
    main()
