//! How wide a text is, from one table: the same layout on screen, in a worker, in reports and tests.
//!
//! plotters measures text through the DOM in the browser and by counting bytes elsewhere. The table
//! holds the widest advance among the usual interface faces (DejaVu Sans, Liberation Sans, Noto
//! Sans), so a text drawn in any of them stays inside the box that was kept free for it.

/// The size of all chart text, in pixels. The house minimum is 12.
pub(crate) const SIZE: f64 = 12.0;
/// The height kept free for a line of chart text.
pub(crate) const LINE: f64 = 14.0;
/// The faces chart text is drawn in: whatever the reader's system uses.
pub(crate) const FAMILY: &str = "system-ui, sans-serif";

/// Advances of U+0020 to U+007E in thousandths of the text size.
const ASCII: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 551, 838, 318, 361, 318,
    372, // space to /
    636, 636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 556, // 0 to ?
    1015, 684, 686, 722, 770, 667, 611, 778, 752, 339, 500, 667, 557, 907, 760, 787, // @ to O
    667, 787, 722, 667, 611, 732, 684, 989, 685, 667, 685, 390, 372, 390, 838, 556, // P to _
    500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, // ` to o
    635, 635, 413, 521, 392, 634, 592, 818, 592, 592, 525, 636, 551, 636, 838, // p to ~
];

/// How much wider the bold cut is, at most.
const BOLD: f64 = 1.13;

fn advance(c: char) -> u16 {
    match c {
        ' '..='~' => ASCII.get(c as usize - ' ' as usize).copied().unwrap_or(1000),
        '·' | '’' | '‘' => 318,
        '“' | '”' => 518,
        '–' => 556,
        '−' | '≤' | '≥' | '÷' | '×' | '≈' | '±' => 838,
        '\u{a0}'..='\u{24f}' | '\u{370}'..='\u{52f}' => 800,
        // Arrows, CJK and everything else: a full square.
        _ => 1000,
    }
}

/// The width of `text` in pixels at the chart text size.
pub(crate) fn width(text: &str, bold: bool) -> f64 {
    let thousandths: f64 = text.chars().map(|c| f64::from(advance(c))).sum();
    thousandths / 1e3 * SIZE * if bold { BOLD } else { 1.0 }
}

/// The width of `text` in pixels at a text size.
pub(crate) fn width_at(text: &str, bold: bool, size: f64) -> f64 {
    width(text, bold) * size / SIZE
}

/// `text` broken at spaces into lines of at most `room` pixels; a word that is longer stands alone.
pub(crate) fn wrapped(text: &str, bold: bool, room: f64) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if width(&format!("{line} {word}"), bold) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// `text` cut to at most `room` pixels, with an ellipsis where something is missing.
pub(crate) fn fitted(text: &str, room: f64) -> String {
    if width(text, false) <= room {
        return text.to_owned();
    }
    let mut kept = String::new();
    for c in text.chars() {
        kept.push(c);
        if width(&kept, false) + SIZE > room {
            kept.pop();
            break;
        }
    }
    kept.truncate(kept.trim_end().len());
    kept.push('…');
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_follow_the_letters_not_the_bytes() {
        assert!(width("iiii", false) < width("MMMM", false) / 2.0);
        assert!((width("10,000", false) - 41.976).abs() < 1e-9);
        // One character of three bytes.
        assert!((width("→", false) - 12.0).abs() < 1e-9);
        assert!(width("P", true) > width("P", false));
    }

    #[test]
    fn words_break_into_lines_of_their_room_and_none_is_lost() {
        let said = "one mark per chunk, in ms";
        assert_eq!(wrapped(said, false, 500.0), [said]);
        let lines = wrapped(said, false, 90.0);
        assert!(lines.len() > 1 && lines.iter().all(|l| width(l, false) <= 90.0), "{lines:?}");
        assert_eq!(lines.join(" "), said);
        assert_eq!(wrapped("Überlast", false, 1.0), ["Überlast"]);
        assert!(wrapped("", true, 10.0).is_empty());
    }

    #[test]
    fn long_names_are_cut_to_their_room() {
        assert_eq!(fitted("vLLM", 60.0), "vLLM");
        let cut = fitted("inference-perf on eight GPUs", 60.0);
        assert!(cut.ends_with('…') && width(&cut, false) <= 60.0, "{cut}");
        assert_eq!(fitted("x", 0.0), "…");
    }
}
