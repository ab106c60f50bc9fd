//! Student's t, for means of few numbers.

use super::{Interval, Spread, mean, std};

/// The 95 % t interval of the mean of independent numbers (Student, 1908); `None` with fewer than three,
/// for two give a range and no more.
pub fn t_interval(values: &[f64]) -> Option<Interval> {
    if values.len() < 3 {
        return None;
    }
    let center = mean(values)?;
    let error = std(values, Spread::Sample)? / (values.len() as f64).sqrt();
    let half = t_quantile(values.len() - 1) * error;
    Some(Interval { low: center - half, high: center + half })
}

/// The t within which 95 % of the distribution with so many degrees of freedom lies.
fn t_quantile(freedom: usize) -> f64 {
    let (mut low, mut high) = (0.0, 64.0);
    for _ in 0..80 {
        let middle = f64::midpoint(low, high);
        if within(middle, freedom) < 0.95 { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// The probability of −t to t: a finite sum, as the degrees of freedom are whole (Abramowitz and Stegun,
/// 26.7.3 and 26.7.4).
fn within(t: f64, freedom: usize) -> f64 {
    let angle = (t / (freedom as f64).sqrt()).atan();
    let square = angle.cos() * angle.cos();
    let odd = freedom % 2 == 1;
    let (mut term, mut total) = if odd { (angle.cos(), 0.0) } else { (1.0, 0.0) };
    let mut at = usize::from(odd);
    while at + 2 <= freedom {
        total += term;
        at += 2;
        term *= square * (at as f64 - 1.0) / at as f64;
    }
    if odd {
        std::f64::consts::FRAC_2_PI * (angle + angle.sin() * total)
    } else {
        angle.sin() * total
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantiles_of_the_usual_table() {
        let table =
            [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (9, 2.262), (10, 2.228), (30, 2.042)];
        for (freedom, want) in table {
            assert!((t_quantile(freedom) - want).abs() < 6e-4, "{freedom} {}", t_quantile(freedom));
        }
        assert!((t_quantile(5000) - 1.9604).abs() < 1e-3);
    }

    #[test]
    fn two_numbers_have_no_t_interval_and_three_have() {
        assert_eq!(t_interval(&[1.0, 2.0]), None);
        let got = t_interval(&[9.0, 10.0, 11.0]).unwrap();
        let half = 4.302_653 / 3.0_f64.sqrt();
        assert!((got.low - (10.0 - half)).abs() < 1e-5 && (got.high - (10.0 + half)).abs() < 1e-5);
    }
}
