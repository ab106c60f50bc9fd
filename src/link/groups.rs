//! What the reader says of runs: which are one sweep, `group=tp4:3fa9c1d2e4b0,07b8da36c52a`, one part a name
//! (without a name each of the runs stands alone), and how many accelerators served them, `gpus=8:3fa9c1d2e4b0`.

use crate::model::RunId;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::str::FromStr;

/// The parts of one kind, in order of what is said.
pub(super) fn encode<'n, T: Ord + Display>(
    said: &BTreeMap<RunId, T>,
    name: &'n str,
    parts: &mut Vec<(&'n str, String)>,
) {
    let mut of: BTreeMap<&T, Vec<&str>> = BTreeMap::new();
    for (run, what) in said {
        of.entry(what).or_default().push(run.as_str());
    }
    parts.extend(of.iter().map(|(what, runs)| (name, format!("{what}:{}", runs.join(",")))));
}

/// Takes one part in; what means nothing is skipped. A name may hold any sign, so the runs are what stands
/// behind the last colon.
pub(super) fn take<T: FromStr + Clone>(said: &mut BTreeMap<RunId, T>, value: &str) {
    if let Some((what, runs)) = value.rsplit_once(':')
        && let Ok(what) = what.parse::<T>()
    {
        said.extend(runs.split(',').filter_map(RunId::parse).map(|run| (run, what.clone())));
    }
}

#[cfg(test)]
mod tests {
    use crate::link::{Link, Screen};
    use crate::model::RunId;

    #[test]
    fn groups_come_back_under_their_names() {
        let run = |id: &str| RunId::parse(id).unwrap();
        let groups = [
            (run("07b8da36c52a"), "tp=4: 2×H100".to_owned()),
            (run("3fa9c1d2e4b0"), "tp=4: 2×H100".to_owned()),
            (run("9c01aa36c52a"), String::new()),
        ];
        let gpus = [(run("3fa9c1d2e4b0"), 8)].into();
        let link = Link { screen: Screen::Curves, groups: groups.into(), gpus, ..Link::default() };
        let text = link.encode();
        assert_eq!(
            text,
            "v1/curves?group=:9c01aa36c52a&group=tp%3D4:%202%C3%97H100:07b8da36c52a,3fa9c1d2e4b0\
             &gpus=8:3fa9c1d2e4b0"
        );
        assert_eq!(Link::decode(&text).unwrap(), link);
        let odd = Link::decode("v1/curves?group=tp4&gpus=many:3fa9c1d2e4b0").unwrap();
        assert!(odd.groups.is_empty() && odd.gpus.is_empty());
    }
}
