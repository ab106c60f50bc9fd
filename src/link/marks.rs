//! Which colour and marker each run has, in the order of `runs`: `marks=2,0,1`. Files may come in any order.

use crate::model::RunId;
use std::collections::BTreeMap;

/// The part, where every run has a mark and they are not all the first.
pub(super) fn encode(runs: &[RunId], marks: &BTreeMap<RunId, u8>, parts: &mut Vec<(&str, String)>) {
    let all: Option<Vec<u8>> = runs.iter().map(|run| marks.get(run).copied()).collect();
    if let Some(all) = all.filter(|all| all.iter().any(|mark| *mark > 0)) {
        let each: Vec<String> = all.iter().map(u8::to_string).collect();
        parts.push(("marks", each.join(",")));
    }
}

/// The marks of the runs; a number that means nothing is skipped, and so is one without a run.
pub(super) fn decode(runs: &[RunId], value: &str) -> BTreeMap<RunId, u8> {
    let marks = value.split(',').map(|mark| mark.parse().ok());
    runs.iter().zip(marks).filter_map(|(run, mark)| Some((run.clone(), mark?))).collect()
}

#[cfg(test)]
mod tests {
    use crate::link::Link;
    use crate::model::RunId;
    use crate::views::Context;

    #[test]
    fn marks_come_back_in_the_order_of_the_runs() {
        let runs = ["3fa9c1d2e4b0", "07b8da36c52a"].map(|id| RunId::parse(id).unwrap());
        let [first, second] = runs.clone();
        let marks = [(first.clone(), 2), (second, 0)].into();
        let context = Context { runs: runs.to_vec(), ..Context::default() };
        let link = Link { context, marks, ..Link::default() };
        let text = link.encode();
        assert_eq!(text, "v1/library?runs=3fa9c1d2e4b0,07b8da36c52a&marks=2,0");
        assert_eq!(Link::decode(&text).unwrap(), link);
        let turned = Link::decode("v1/library?marks=2,0&runs=3fa9c1d2e4b0,07b8da36c52a").unwrap();
        assert_eq!(turned, link, "in any order of the parts");
        let odd = Link::decode("v1/library?runs=3fa9c1d2e4b0,07b8da36c52a&marks=x,300,1").unwrap();
        assert!(odd.marks.is_empty());
        // A run whose mark is not known: none is told.
        let some = Link { marks: [(first, 2)].into(), ..link };
        assert!(!some.encode().contains("marks"));
    }
}
