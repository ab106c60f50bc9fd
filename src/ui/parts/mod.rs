//! Parts that several screens share, one a file.

pub mod definitions_sheet;
pub mod drop;
pub mod help_sheet;
pub mod icons;
pub mod limits_sheet;
pub mod marker;
pub mod menu;
pub mod notices;
pub mod rail;
pub mod run_card_sheet;
pub mod share;
pub mod sheet;
pub mod strip;
pub mod theme;
pub mod toast;
