//! What somebody says of the columns of a refused table, while it is being said.
//!
//! Knows guesses, choices and what is still needed. Must not know browsers: it is tested without one.

use crate::engine::protocol::{
    ColumnGuess, Confidence, Field, MappedColumn, Mapping, MappingOffer, Refusal, TimeUnit,
};

/// What is said of one column so far.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The column, and what it seems to be.
    pub guess: ColumnGuess,
    /// What it is.
    pub field: Field,
    /// The unit of its times: the heading's, or the one that was chosen.
    pub unit: Option<TimeUnit>,
}

impl Choice {
    /// Why this field stands here, in words.
    pub fn because(&self) -> String {
        let guessed = self.guess.field.unwrap_or(Field::Unused);
        match self.guess.confidence {
            _ if self.field != guessed => "Your choice".to_owned(),
            Confidence::Sure => "Sure: a usual name".to_owned(),
            Confidence::Likely => "Likely, by words in its name".to_owned(),
            Confidence::None => self.guess.because.trim_end_matches('.').to_owned(),
        }
    }

    /// Whether a unit must be said: it is a time and its heading has none.
    pub const fn asks_unit(&self) -> bool {
        self.field.is_time() && self.guess.unit.is_none()
    }
}

/// Something without which the table can’t be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// The column to turn to, by its index; the first where it is about all.
    pub column: usize,
    /// Whether it is the column's unit.
    pub unit: bool,
    /// What is needed: “a unit for ‘ttft’”.
    pub words: String,
}

impl Need {
    const fn field(column: usize, words: String) -> Self {
        Self { column, unit: false, words }
    }
}

/// What is said of a table so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Draft {
    /// Its columns in order; of columns with one heading only the first can be meant.
    pub columns: Vec<Choice>,
}

impl Draft {
    /// What the columns seem to be.
    pub fn of(offer: &MappingOffer) -> Self {
        let mut columns: Vec<Choice> = Vec::new();
        for guess in &offer.columns {
            if columns.iter().all(|choice| choice.guess.column != guess.column) {
                let field = guess.field.unwrap_or(Field::Unused);
                columns.push(Choice { guess: guess.clone(), field, unit: guess.unit });
            }
        }
        Self { columns }
    }

    /// Whether each row is a load and none a request.
    fn is_of_loads(&self) -> bool {
        self.has(is_load) && !self.has(is_of_request)
    }

    fn has(&self, is: impl Fn(Field) -> bool) -> bool {
        self.columns.iter().any(|choice| is(choice.field))
    }

    /// What is still needed before the table can be read.
    pub fn needs(&self) -> Vec<Need> {
        let columns = || self.columns.iter().enumerate();
        let mut needs: Vec<Need> = columns()
            .filter(|(_, choice)| choice.asks_unit() && choice.unit.is_none())
            .map(|(column, choice)| {
                let words = format!("a unit for “{}”", choice.guess.column);
                Need { column, unit: true, words }
            })
            .collect();
        if self.is_of_loads() {
            if !self.has(|field| is_latency(field) || is_throughput(field)) {
                needs.push(Need::field(0, "a column with a latency or a throughput".to_owned()));
            }
            return needs;
        }
        needs.extend(columns().filter_map(|(column, choice)| self.twice(column, choice)));
        let span = self.has(|field| field == Field::Start) && self.has(|field| field == Field::End);
        let follows = |field| is_latency(field) && field != Field::Itl;
        if !span && !self.has(|field| follows(field) || field == Field::DecodeTime) {
            let words = "a column with a latency: TTFT or E2E, or Start and End".to_owned();
            needs.push(Need::field(0, words));
        }
        let of_load = columns().find(|(_, choice)| is_of_load(choice.field));
        if let Some((column, Choice { guess, .. })) = of_load {
            let name = &guess.column;
            let words = if self.has(is_of_request) {
                format!("“{name}” left out: it is of a whole load, other columns are of requests")
            } else {
                format!("the concurrency or request rate that “{name}” belongs to")
            };
            needs.push(Need::field(column, words));
        }
        needs
    }

    /// A column that is said to be what an earlier one is.
    fn twice(&self, column: usize, choice: &Choice) -> Option<Need> {
        let field = choice.field;
        let earlier = self.columns.iter().take(column);
        let same = || earlier.clone().find(|other| other.field == field);
        let other = if field == Field::Unused { None } else { same() }?;
        let (one, two, name) = (&other.guess.column, &choice.guess.column, field.name());
        Some(Need::field(column, format!("only one {name}: “{one}” or “{two}”")))
    }

    /// What is said, for the reader.
    pub fn mapping(&self) -> Mapping {
        let loads = self.is_of_loads();
        let columns = self
            .columns
            .iter()
            // Of loads, a column that nothing is said of stays what it was: a setting of its load.
            .filter(|c| !(loads && c.field == Field::Unused && c.guess.field.is_none()))
            .map(|Choice { guess, field, unit }| MappedColumn {
                column: guess.column.clone(),
                field: *field,
                unit: unit.filter(|_| field.is_time()),
            })
            .collect();
        Mapping { columns }
    }
}

const fn is_load(field: Field) -> bool {
    matches!(field, Field::Concurrency | Field::RequestRate)
}

/// Whether it can only be of a single request.
const fn is_of_request(field: Field) -> bool {
    !of_loads(field) && !is_latency(field) && !matches!(field, Field::Unused | Field::Model)
}

/// Whether it can only be of a whole load.
const fn is_of_load(field: Field) -> bool {
    of_loads(field) && !is_load(field) && !matches!(field, Field::Gpus)
}

const fn is_latency(field: Field) -> bool {
    matches!(field, Field::Ttft | Field::E2e | Field::Tpot | Field::Itl)
}

const fn is_throughput(field: Field) -> bool {
    matches!(
        field,
        Field::RequestThroughput
            | Field::OutputThroughput
            | Field::InputThroughput
            | Field::TotalThroughput
            | Field::Goodput
    )
}

/// Whether a field is offered among those of a whole load.
pub const fn of_loads(field: Field) -> bool {
    is_load(field)
        || is_throughput(field)
        || matches!(
            field,
            Field::Gpus
                | Field::Completed
                | Field::Failed
                | Field::Duration
                | Field::TotalInputTokens
                | Field::TotalOutputTokens
        )
}

/// The refused files whose tables have the columns of `file`, itself first.
pub fn alike(refusals: &[Refusal], file: &str) -> Vec<String> {
    let headings = |refusal: &Refusal| {
        let offer = refusal.mapping.as_ref()?;
        Some(offer.columns.iter().map(|guess| guess.column.clone()).collect::<Vec<_>>())
    };
    let own = refusals.iter().find(|refusal| refusal.file == file).and_then(headings);
    let same = |refusal: &&Refusal| own.is_some() && headings(refusal) == own;
    let others = refusals.iter().filter(same).map(|refusal| refusal.file.clone());
    let others = others.filter(|other| other != file);
    std::iter::once(file.to_owned()).chain(others).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{Head, offer};

    fn draft(text: &str) -> Draft {
        Draft::of(&offer(&Head::new("x", text.as_bytes(), text.len() as u64)).unwrap())
    }

    fn words(draft: &Draft) -> Vec<String> {
        draft.needs().into_iter().map(|need| need.words).collect()
    }

    #[test]
    fn a_unit_is_needed_where_the_heading_has_none_and_never_preselected() {
        let mut said = draft("first token;total (s);n_out\n50;0.25;5\n");
        assert_eq!(words(&said), ["a unit for “first token”"]);
        assert_eq!((said.columns[0].unit, said.columns[1].asks_unit()), (None, false));
        said.columns[0].unit = Some(TimeUnit::Millis);
        said.columns[2].field = Field::OutputTokens;
        assert_eq!(words(&said), [""; 0]);
        assert_eq!(said.columns[0].because(), "Sure: a usual name");
        assert_eq!(said.columns[2].because(), "Your choice");
        let mapped: Vec<_> =
            said.mapping().columns.into_iter().map(|c| (c.column, c.field, c.unit)).collect();
        let (ms, s) = (Some(TimeUnit::Millis), Some(TimeUnit::Secs));
        assert_eq!(
            mapped,
            [
                ("first token".to_owned(), Field::Ttft, ms),
                ("total (s)".to_owned(), Field::E2e, s),
                ("n_out".to_owned(), Field::OutputTokens, None),
            ]
        );
    }

    #[test]
    fn requests_need_a_latency_and_each_field_once() {
        let mut said = draft("call,a (ms),b (ms)\nx,1,2\n");
        assert_eq!(words(&said), ["a column with a latency: TTFT or E2E, or Start and End"]);
        (said.columns[1].field, said.columns[2].field) = (Field::Ttft, Field::Ttft);
        let twice = Need::field(2, "only one TTFT: “a (ms)” or “b (ms)”".to_owned());
        assert_eq!(said.needs(), [twice]);
        (said.columns[1].field, said.columns[2].field) = (Field::Start, Field::End);
        assert!(said.needs().is_empty(), "the latency is the time between them");
    }

    #[test]
    fn loads_need_a_number_and_keep_columns_that_nothing_is_said_of() {
        let mut said = draft("rack,users,speed,p50 x (ms),p99 x (ms)\na,1,30,5,9\n");
        assert_eq!(words(&said), ["a column with a latency or a throughput"]);
        (said.columns[3].field, said.columns[4].field) = (Field::Ttft, Field::Ttft);
        assert!(said.needs().is_empty(), "one a statistic");
        let said: Vec<_> = said.mapping().columns.into_iter().map(|c| c.column).collect();
        assert_eq!(said, ["users", "p50 x (ms)", "p99 x (ms)"]);
    }

    #[test]
    fn a_number_of_a_load_needs_its_load() {
        let mut said = draft("e2e (ms),speed\n5,30\n");
        said.columns[1].field = Field::OutputThroughput;
        assert_eq!(words(&said), ["the concurrency or request rate that “speed” belongs to"]);
        let mut said = draft("id,e2e (ms),speed\na,5,30\n");
        said.columns[2].field = Field::OutputThroughput;
        let out = "“speed” left out: it is of a whole load, other columns are of requests";
        assert_eq!(words(&said), [out]);
    }

    #[test]
    fn of_two_columns_with_one_heading_the_first_is_meant() {
        assert_eq!(draft("x,x,ttft_ms\n1,2,3\n").columns.len(), 2);
    }

    #[test]
    fn tables_with_the_same_headings_go_together() {
        let refused = |file: &str, text: &str| Refusal {
            file: file.to_owned(),
            kind: crate::engine::protocol::Cause::Unknown,
            what: None,
            error: String::new(),
            place: String::new(),
            advice: String::new(),
            mapping: offer(&Head::new(file, text.as_bytes(), text.len() as u64)),
        };
        let list = [
            refused("a", "x,y\n1,2\n"),
            refused("b", "x,z\n1,2\n"),
            refused("c", "x,y\n3,4\n"),
            refused("d", "no table"),
        ];
        assert_eq!(alike(&list, "c"), ["c", "a"]);
        assert_eq!(alike(&list, "d"), ["d"], "what is no table is like no other");
    }
}
