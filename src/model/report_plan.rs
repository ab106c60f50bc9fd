//! What the reader wants of a report beyond its runs: words at its head, its sections, notes to them.

use serde::{Deserialize, Serialize};

/// The plan of a report. An empty one gives the usual report.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ReportPlan {
    /// Title; the finding when empty.
    pub title: String,
    /// Who made it; printed beside the date.
    pub author: String,
    /// Sections in the order in which they are wanted. Those that are not named follow as usual.
    pub order: Vec<String>,
    /// What is wanted of single sections.
    pub sections: Vec<PlannedSection>,
}

/// What is wanted of one section.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PlannedSection {
    /// The section: `curve`.
    pub id: String,
    /// Whether it is printed.
    pub shown: bool,
    /// Its heading; the usual one when empty.
    pub title: String,
    /// What the reader says about it; paragraphs are parted by an empty line.
    pub note: String,
}

impl Default for PlannedSection {
    fn default() -> Self {
        Self { id: String::new(), shown: true, title: String::new(), note: String::new() }
    }
}

impl ReportPlan {
    /// What is wanted of a section, if anything.
    pub fn of(&self, id: &str) -> Option<&PlannedSection> {
        self.sections.iter().find(|section| section.id == id)
    }

    /// Changes what is wanted of a section.
    pub fn change(&mut self, id: &str, change: impl FnOnce(&mut PlannedSection)) {
        if let Some(known) = self.sections.iter_mut().find(|section| section.id == id) {
            change(known);
            return;
        }
        let mut section = PlannedSection { id: id.to_owned(), ..PlannedSection::default() };
        change(&mut section);
        self.sections.push(section);
    }

    /// Places of `usual` in the order of the plan: the named ones first, the others as they come. A name that
    /// no section has, from another version, says nothing.
    pub fn order(&self, usual: &[&str]) -> Vec<usize> {
        let place = |id: &str| usual.iter().position(|usual| *usual == id);
        let mut order: Vec<usize> = Vec::new();
        for at in self.order.iter().filter_map(|id| place(id)) {
            if !order.contains(&at) {
                order.push(at);
            }
        }
        let others: Vec<usize> = (0..usual.len()).filter(|at| !order.contains(at)).collect();
        order.extend(others);
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn named_sections_lead_and_the_others_follow() {
        let mut plan = ReportPlan::default();
        assert_eq!(plan.order(&["a", "b", "c"]), [0, 1, 2]);
        plan.order = ["c", "gone", "a", "c"].map(String::from).to_vec();
        assert_eq!(plan.order(&["a", "b", "c"]), [2, 0, 1]);
    }

    #[test]
    fn what_is_wanted_of_a_section_does_not_move_it() {
        let mut plan = ReportPlan::default();
        plan.change("c", |section| section.shown = false);
        plan.change("c", |section| section.title = "Sea".into());
        assert_eq!(plan.order(&["a", "b", "c"]), [0, 1, 2]);
        assert!(plan.of("c").is_some_and(|c| !c.shown && c.title == "Sea"));
        assert_eq!((plan.sections.len(), plan.of("a")), (1, None));
    }

    #[test]
    fn a_file_may_leave_anything_out() {
        let plan: ReportPlan = serde_json::from_str(r#"{"sections": [{"id": "curve"}]}"#).unwrap();
        assert!(plan.of("curve").is_some_and(|curve| curve.shown));
    }
}
