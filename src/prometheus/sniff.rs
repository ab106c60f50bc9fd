//! Whether a text begins as server metrics do.

use super::families;
use super::pages::power_shell;
use super::panel_table;
use super::scanner::{self, Line, Says, Syntax};

/// How sure it is, with the reason in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Looks {
    /// Nothing else is written like this.
    Certain(&'static str),
    /// Other things could be.
    Likely(&'static str),
}

/// So many lines are looked at.
const LINES: usize = 400;

/// What the beginning of a text looks like, if it looks like server metrics. `whole` says that nothing
/// follows it, so that its last line is not cut.
pub fn looks(head: &str, whole: bool) -> Option<Looks> {
    let head = head.trim_start_matches('\u{feff}');
    if let Some((separator, said)) = panel_table::separator(head)
        && panel_table::has_dates(head.get(said..).unwrap_or_default(), separator)
    {
        return Some(Looks::Likely("its first column is Time, as Grafana saves a panel"));
    }
    let end = if whole { head.len() } else { head.rfind('\n').unwrap_or(head.len()) };
    let lines = head.get(..end).unwrap_or_default().lines().filter(|line| !line.trim().is_empty());
    let (mut kinds, mut samples, mut labelled, mut inside, mut others) = (0, 0, 0, 0, 0);
    let mut ends = false;
    for line in lines.take(LINES) {
        let line = match power_shell(line.trim(), "Content") {
            Some(content) => content,
            None if power_shell(line.trim(), "").is_some() => continue,
            None => line,
        };
        match scanner::line(line, Syntax::Lenient) {
            Ok(Line::Metadata(m)) if m.says == Says::Type && families::kind(m.text).is_some() => {
                kinds += 1;
            }
            // `max_tokens: 512` is YAML, though a colon may stand in a name.
            Ok(Line::Sample(named, _)) if named.name.ends_with(':') => others += 1,
            Ok(Line::Sample(named, _)) => {
                samples += 1;
                labelled += usize::from(!named.labels.is_empty());
                inside += usize::from(named.inside);
            }
            Ok(Line::Eof) => ends = true,
            Ok(_) => {}
            Err(_) => others += 1,
        }
    }
    if inside > 0 {
        return Some(Looks::Certain(
            "its lines are {__name__=…} value time, as promtool dumps them",
        ));
    }
    if kinds > 0 && kinds + samples >= others {
        return Some(Looks::Certain("it has # TYPE lines of a metrics page"));
    }
    if ends && samples > 0 {
        return Some(Looks::Certain("it ends as OpenMetrics does"));
    }
    if labelled > 0 && samples > others {
        return Some(Looks::Likely("its lines are name{labels} value"));
    }
    // Bare `name value` lines are much else as well, so names must be those of metrics.
    let metric = |line: &str| {
        let name = line.split([' ', '\t']).next().unwrap_or_default();
        name.contains(':') || name.contains('_')
    };
    let named = head
        .lines()
        .filter(|line| !line.starts_with('#'))
        .all(|l| l.trim().is_empty() || metric(l));
    (samples > 1 && others == 0 && named).then_some(Looks::Likely("its lines are name value"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_told_from_other_texts() {
        let certain = [
            "# HELP a b\n# TYPE a gauge\na 1\n",
            "$ curl localhost/metrics\n# TYPE a counter\n",
            "{__name__=\"a\", b=\"c\"} 1 1000\n",
        ];
        for text in certain {
            let found = looks(text, true);
            assert!(matches!(found, Some(Looks::Certain(_))), "{text}: {found:?}");
        }
        let likely = [
            "vllm:x{engine=\"0\"} 1\n",
            "a_total 1\nb_total 2\n",
            "\"Time\",\"p99\"\n2025-11-29 10:00:00,350 ms\n",
        ];
        for text in likely {
            let found = looks(text, true);
            assert!(matches!(found, Some(Looks::Likely(_))), "{text}: {found:?}");
        }
        let others = [
            "",
            "a 1\nb 2\n",
            "# TYPE of thing\nsome words\n",
            "Time,ttft_ms\n1,2\n",
            "INFO 01-01 10:00:00 x.py:1] Avg prompt throughput: 1.0\n",
            "MODEL=llama\nPORT=8000\n",
            "max_tokens: 512\nrequest_rate: 4\n",
        ];
        for text in others {
            assert_eq!(looks(text, true), None, "{text}");
        }
    }
}
