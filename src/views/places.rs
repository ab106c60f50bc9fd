//! Runs that belong to no sweep, gathered by where they came from: their folder, or their file.

/// More runs than this under one folder are parted by the folders and files below it.
const MANY: usize = 12;

/// Runs of one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The folder or file that all of them are under, or nothing for one that stands alone.
    pub path: String,
    /// Positions among the paths given.
    pub members: Vec<usize>,
}

/// Gathers runs by the paths of their files, each in exactly one place. A run whose file was added
/// without a folder stands alone unless its file holds more of them.
pub(super) fn places(paths: &[&str]) -> Vec<Place> {
    let split: Vec<Vec<&str>> = paths.iter().map(|path| path.split('/').collect()).collect();
    let mut found = Vec::new();
    for (_, members) in below(&split, (0..paths.len()).collect(), 0) {
        gather(&split, members, 1, &mut found);
    }
    found.sort_by_key(|place| place.members.first().copied());
    found
}

/// Parts what has the same first `depth` parts of its path.
fn gather(split: &[Vec<&str>], members: Vec<usize>, depth: usize, found: &mut Vec<Place>) {
    let path: String = members
        .first()
        .and_then(|at| split.get(*at))
        .map(|parts| parts.iter().take(depth).copied().collect::<Vec<_>>().join("/"))
        .unwrap_or_default();
    let alone = |members| Place { path: String::new(), members };
    let parts = below(split, members.clone(), depth);
    let deeper = members.iter().all(|at| split.get(*at).is_some_and(|parts| parts.len() > depth));
    match parts.as_slice() {
        _ if members.len() == 1 => found.push(alone(members)),
        [_] if deeper => gather(split, members, depth + 1, found),
        _ if members.len() <= MANY || !deeper => found.push(Place { path, members }),
        _ => {
            let (rest, own): (Vec<_>, Vec<_>) =
                parts.into_iter().map(|(_, part)| part).partition(|part| part.len() == 1);
            for part in own {
                gather(split, part, depth + 1, found);
            }
            let rest: Vec<usize> = rest.into_iter().flatten().collect();
            match rest.len() {
                0 => {}
                1 => found.push(alone(rest)),
                _ => found.push(Place { path, members: rest }),
            }
        }
    }
}

/// The members by the part of their path at `depth`, in the order in which each part came.
fn below<'p>(
    split: &[Vec<&'p str>],
    members: Vec<usize>,
    depth: usize,
) -> Vec<(Option<&'p str>, Vec<usize>)> {
    let mut parts: Vec<(Option<&str>, Vec<usize>)> = Vec::new();
    for at in members {
        let part = split.get(at).and_then(|parts| parts.get(depth)).copied();
        match parts.iter_mut().find(|(other, _)| *other == part) {
            Some((_, same)) => same.push(at),
            None => parts.push((part, vec![at])),
        }
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(paths: &[&str]) -> Vec<(String, usize)> {
        let found = places(paths);
        let mut all: Vec<usize> = found.iter().flat_map(|p| p.members.clone()).collect();
        all.sort_unstable();
        assert_eq!(all, (0..paths.len()).collect::<Vec<_>>(), "each run in exactly one place");
        found.into_iter().map(|place| (place.path, place.members.len())).collect()
    }

    #[test]
    fn runs_of_one_folder_or_file_are_gathered_and_loose_files_are_not() {
        assert_eq!(found(&["a.json", "b.json"]), [(String::new(), 1), (String::new(), 1)]);
        assert_eq!(found(&["a.json", "a.json"]), [("a.json".to_owned(), 2)]);
        assert_eq!(found(&["x/s1/v/a", "x/s1/g/b"]), [("x/s1".to_owned(), 2)]);
        assert_eq!(found(&["x/a", "x/a"]), [("x/a".to_owned(), 2)]);
        assert_eq!(found(&["x/a", "y/a"]), [(String::new(), 1), (String::new(), 1)]);
    }

    #[test]
    fn a_large_folder_is_parted_and_what_is_single_in_it_stays_together() {
        let mut paths: Vec<String> = (0..10).map(|n| format!("x/s1/{n}/run")).collect();
        paths.extend((0..7).map(|n| format!("x/s2/{n}")));
        paths.extend(["x/s3/a".to_owned(), "x/s4/a".to_owned()]);
        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
        let place = |path: &str, count| (path.to_owned(), count);
        assert_eq!(found(&paths), [place("x/s1", 10), place("x/s2", 7), place("x", 2)]);
        let flat: Vec<String> = (0..30).map(|n| format!("x/{n}/run")).collect();
        let flat: Vec<&str> = flat.iter().map(String::as_str).collect();
        assert_eq!(found(&flat), [place("x", 30)]);
        assert_eq!(found(&["x/a"; 30]), [place("x/a", 30)]);
    }
}
