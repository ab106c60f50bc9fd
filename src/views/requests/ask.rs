//! What the Requests screen is asked: which run, in which order, in which colours, which part of it.

use crate::model::RunId;
use serde::{Deserialize, Serialize};

/// What is shown of a run. The address holds it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RequestsAsk {
    /// The run; none for the baseline.
    pub run: Option<RunId>,
    /// By what the lanes are ordered.
    pub order: Order,
    /// What the colours tell.
    pub colour: Colour,
    /// Where every lane has its zero.
    pub align: Align,
    /// Which requests are shown.
    pub status: Status,
    /// Seconds after the first send between which they were in flight.
    pub time: Option<(f64, f64)>,
    /// The first lane by its place in the order, and how many; none for all.
    pub lanes: Option<(usize, usize)>,
    /// The chosen request, by its number from 0.
    pub chosen: Option<usize>,
}

/// The rows of the table that are in sight.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RowsAsk {
    /// Of which requests: run, status and time are heeded.
    pub of: RequestsAsk,
    /// By which column.
    pub sort: Sort,
    /// Whether the other way round than the column is first sorted.
    pub turned: bool,
    /// The first row.
    pub from: usize,
    /// How many.
    pub count: usize,
    /// Whether all of them are wanted as a file in place of rows.
    pub file: bool,
}

/// A choice that has a name in the address and words on the screen.
pub trait Named: Copy + PartialEq + Default + 'static {
    /// All of them, the default first.
    const ALL: &'static [Self];
    /// The name in the address.
    fn id(self) -> &'static str;
    /// The words on the screen.
    fn words(self) -> &'static str;
    /// The choice of a name.
    fn of_id(id: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|choice| choice.id() == id)
    }
}

macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$each:meta])* $choice:ident $id:literal $words:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum $name {
            $($(#[$each])* $choice,)+
        }

        impl Named for $name {
            const ALL: &'static [Self] = &[$(Self::$choice,)+];
            fn id(self) -> &'static str {
                match self { $(Self::$choice => $id,)+ }
            }
            fn words(self) -> &'static str {
                match self { $(Self::$choice => $words,)+ }
            }
        }
    };
}

named! {
    /// By what the lanes are ordered.
    Order {
        /// The first send first.
        #[default]
        Start "start" "start",
        /// The slowest first token first.
        Ttft "ttft" "TTFT",
        /// The slowest first.
        E2e "e2e" "E2E",
        /// The longest reply first.
        Length "length" "length",
        /// The longest gap first.
        Gap "gap" "longest gap",
    }
}

named! {
    /// What the colours of lanes tell.
    Colour {
        /// What the request waited for.
        #[default]
        Phase "phase" "phase",
        /// How it ended.
        Status "status" "status",
        /// How long the reply is.
        Length "length" "length",
    }
}

named! {
    /// Where every lane has its zero.
    Align {
        /// At the first send of the run: one clock for all.
        #[default]
        Run "run" "run start",
        /// At its own send.
        Send "send" "send",
        /// At its first token.
        First "first" "first token",
    }
}

named! {
    /// Which requests are shown.
    Status {
        /// All that were not left out.
        #[default]
        All "all" "all",
        /// Those that finished.
        Ok "ok" "ok",
        /// Those that failed.
        Failed "failed" "failed",
        /// Those that were cut off or still running at the end.
        Cut "cut" "cut off",
        /// Those that miss a limit of the SLO.
        Misses "misses" "misses the SLO",
        /// Those that paused in a stall.
        Paused "paused" "paused",
        /// Those whose reply is of the shortest fourth.
        Short "short" "shortest fourth",
        /// Those whose reply is of the longest fourth.
        Long "long" "longest fourth",
        /// Those that open a conversation.
        FirstTurn "first-turn" "first turn",
        /// Those that go on with one.
        LaterTurns "later-turns" "later turns",
        /// Those whose prompt was in a prefix cache in part or whole.
        Cached "cached" "prefix cached",
        /// Those of whose prompt no cache held anything.
        Uncached "uncached" "prefix not cached",
        /// Those that were left out.
        LeftOut "left-out" "left out",
    }
}

named! {
    /// A column of the table.
    Sort {
        /// The longest gap.
        #[default]
        Gap "gap" "longest gap",
        /// The number in the file.
        Number "number" "number",
        /// The send.
        Start "start" "start",
        /// TTFT.
        Ttft "ttft" "TTFT",
        /// TPOT.
        Tpot "tpot" "TPOT",
        /// End-to-end latency.
        E2e "e2e" "E2E",
        /// Output tokens.
        Tokens "tokens" "tokens",
        /// The turn of its conversation.
        Turn "turn" "turn",
        /// Prompt tokens that a prefix cache held.
        Cached "cached" "cached tokens",
        /// How it ended.
        Status "status" "status",
        /// Whether it meets the SLO.
        Slo "slo" "SLO",
    }
}

impl Sort {
    /// Whether the largest stands first when the column is chosen: what is slow is looked for.
    pub const fn largest_first(self) -> bool {
        !matches!(self, Self::Number | Self::Start | Self::Turn)
    }
}
