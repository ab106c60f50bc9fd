//! Line icons, drawn inline on a grid of 16. A word always stands beside them or in their label.

use leptos::prelude::*;

/// What an icon shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Glyph {
    /// Two stacked drawers.
    Library,
    /// Bars of different length.
    Compare,
    /// A rising curve on axes.
    Curves,
    /// A curve that goes over a peak.
    Goodput,
    /// Bars of three heights.
    Distributions,
    /// Bars that begin one after the other.
    Requests,
    /// Two machines in a rack.
    Server,
    /// Two rulers, one above the other.
    Explain,
    /// A shield with a hook.
    Quality,
    /// Two arrows that pass each other.
    Swap,
    /// An arrow up.
    Up,
    /// An arrow down.
    Down,
    /// A hook in a ring.
    Applies,
    /// A question mark in a dashed ring.
    Unknown,
    /// A bar in a ring.
    Without,
    /// Three dots in a row.
    More,
    /// A written page.
    Report,
    /// A closed lock.
    Lock,
    /// An arrow into a tray.
    Drop,
    /// A blank page.
    File,
    /// A folder.
    Folder,
    /// A clipboard.
    Paste,
    /// A plus.
    Plus,
    /// A magnifying glass.
    Search,
    /// An arrow out of a tray.
    Share,
    /// An arrow to the right.
    Arrow,
    /// A hook.
    Check,
    /// A cross.
    Close,
    /// A pencil.
    Pencil,
    /// A bin.
    Bin,
    /// The letter i in a ring.
    Info,
    /// A flag on a pole.
    Flag,
    /// A corner pointing right.
    Chevron,
    /// A triangle with a mark.
    Warning,
    /// An octagon with a bar.
    Block,
    /// Two sheets.
    Copy,
    /// An arrow back.
    Undo,
    /// An arrow forth.
    Redo,
    /// A question mark in a ring.
    Help,
    /// Half a disc.
    Theme,
    /// One line that becomes two.
    Split,
    /// Two boxes in a frame.
    Group,
}

impl Glyph {
    const fn path(self) -> &'static str {
        match self {
            Self::Library => "M2 2.75h12v4H2zM2 9.25h12v4H2zM4.5 4.75h2M4.5 11.25h2",
            Self::Compare => "M2.5 3v10M6 5v6M9.5 2v12M13.5 6.5v4",
            Self::Curves => "M2.5 2v11.5H14M4.5 11c4 0 6.50-2 8.50-7.50",
            Self::Goodput => "M2 12.50h3l3-9 3 9h3M2 3.50h12",
            Self::Distributions => {
                "M2 13.50h12M4 13.50v-4.50M7 13.50v-9M10 13.50v-6.50M13 13.50v-3"
            }
            Self::Requests => "M2.50 3.50h5M5 6.50h5.50M7 9.50h6.50M9.50 12.50h4",
            Self::Server => {
                "M2.50 2.50h11v4.50h-11zM2.50 9h11v4.50h-11zM5 4.75h.010M5 11.25h.010M9 4.75h2M9 11.25h2"
            }
            Self::Report => "M3.50 1.75h6l3 3v9.50h-9zM9.50 1.75v3h3M5.75 8h4.50M5.75 11h4.50",
            Self::Quality => {
                "M8 1.75 13.25 3.50v4.25c0 3-2.25 5.25-5.25 6.50-3-1.25-5.25-3.50-5.25-6.50V3.50zM5.50 8l1.75 1.75 3.25-3.50"
            }
            Self::Explain => {
                "M1.75 2.75h12.50v4.25h-12.50zM1.75 9h12.50v4.25h-12.50zM4.50 2.75v2M7.25 2.75v2M10 2.75v2M12 2.75v1M4 13.25v-2M6 13.25v-1.50M8 13.25v-2M10 13.25v-1.50M12 13.25v-2"
            }
            Self::Swap => "M2.50 5.50h11M10.50 2.50l3 3-3 3M13.50 10.50h-11M5.50 7.50l-3 3 3 3",
            Self::Up => "M8 13V3M4 7l4-4 4 4",
            Self::Down => "M8 3v10M4 9l4 4 4-4",
            Self::Applies => {
                "M8 1.75a6.25 6.25 0 1 1 0 12.50 6.25 6.25 0 0 1 0-12.50M5.25 8.25l2 2 3.50-4"
            }
            Self::Unknown => {
                "M6 2.10a6.25 6.25 0 0 1 4 0M12.50 3.65a6.25 6.25 0 0 1 1.75 3.35M14 10a6.25 6.25 0 0 1-2.25 3M9.75 14a6.25 6.25 0 0 1-3.50 0M4.25 13a6.25 6.25 0 0 1-2.25-3M1.75 7a6.25 6.25 0 0 1 1.75-3.35M6.25 6.25a1.75 1.75 0 1 1 2.50 1.60c-.500.25-.750.60-.750 1.15M8 11v.500"
            }
            Self::Without => "M8 1.75a6.25 6.25 0 1 1 0 12.50 6.25 6.25 0 0 1 0-12.50M5 8h6",
            Self::More => "M3.25 8h.010M8 8h.010M12.75 8h.010",
            Self::Block => {
                "M5.25 1.75h5.50l3.50 3.50v5.50l-3.50 3.50h-5.50l-3.50-3.50v-5.50zM5.25 8h5.50"
            }
            Self::Lock => "M3.50 7h9v6.50h-9zM5.50 7V4.75a2.50 2.50 0 0 1 5 0V7",
            Self::Drop => "M8 2v7.50M4.75 6.50 8 9.75l3.25-3.25M2 10.50v3.25h12V10.50",
            Self::File => "M3.50 1.75h6l3 3v9.50h-9zM9.50 1.75v3h3",
            Self::Folder => "M1.75 3.50h4.50l1.50 2h6.50v7.75H1.75z",
            Self::Paste => "M3.25 3h9.50v11h-9.50zM5.75 1.50h4.50v3h-4.50z",
            Self::Plus => "M8 2.50v11M2.50 8h11",
            Self::Search => "M7 2.50a4.50 4.50 0 1 1 0 9 4.50 4.50 0 0 1 0-9M10.50 10.50 14 14",
            Self::Share => "M8 10V2.25M4.75 5.25 8 2l3.25 3.25M2.50 8.50v5h11v-5",
            Self::Arrow => "M2.50 8h11M9.25 3.75 13.50 8l-4.25 4.25",
            Self::Check => "M3 8.50 6.50 12 13 4.50",
            Self::Close => "M3.50 3.50l9 9M12.50 3.50l-9 9",
            Self::Pencil => "M2.50 13.50l.750-3.25L10.75 2.75l2.50 2.50-7.50 7.50zM9 4.50 11.50 7",
            Self::Bin => {
                "M2.50 4h11M6 4V2.25h4V4M4 4l.750 10h6.50L12 4M6.75 6.75v4.50M9.25 6.75v4.50"
            }
            Self::Info => {
                "M8 1.75a6.25 6.25 0 1 1 0 12.50 6.25 6.25 0 0 1 0-12.50M8 7.25v4M8 4.50v.500"
            }
            Self::Flag => "M3.50 14.50v-12.50M3.50 2.75h9l-2.25 3 2.25 3h-9",
            Self::Chevron => "M6 3.50 10.50 8 6 12.50",
            Self::Warning => "M8 2 14.50 13.50h-13zM8 6.25v3.50M8 11.25v.500",
            Self::Copy => "M5.50 5.50h8.50v8.50H5.50zM10.50 5.50V2H2v8.50h3.50",
            Self::Undo => "M5.50 2.50 2.50 5.50l3 3M2.50 5.50h7a4 4 0 0 1 0 8H6",
            Self::Redo => "M10.50 2.50l3 3-3 3M13.50 5.50h-7a4 4 0 0 0 0 8H10",
            Self::Help => {
                "M8 1.75a6.25 6.25 0 1 1 0 12.50 6.25 6.25 0 0 1 0-12.50M6.25 6.25a1.75 1.75 0 1 1 2.50 1.60c-.500.25-.750.60-.750 1.15M8 11v.500"
            }
            Self::Split => {
                "M8 1.75V6L4 10v4.25M8 6l4 4v4.25M2.25 12.50 4 14.25l1.75-1.75M10.25 12.50 12 14.25l1.75-1.75"
            }
            Self::Group => "M1.75 1.75h12.50v12.50H1.75zM4.50 4.50h3v3h-3zM8.50 8.50h3v3h-3z",
            Self::Theme => {
                "M8 1.75a6.25 6.25 0 1 1 0 12.50 6.25 6.25 0 0 1 0-12.50zM8 1.75v12.50M8 5h4.50M8 8h6M8 11h4.50"
            }
        }
    }
}

/// An icon of 16 pixels in the colour of the text. Hidden from screen readers.
#[component]
pub fn Icon(
    /// What it shows.
    name: Glyph,
) -> impl IntoView {
    view! {
        <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
            <path d=name.path()/>
        </svg>
    }
}
