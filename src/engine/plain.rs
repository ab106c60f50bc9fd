//! Text out of a file made fit to be shown, on a terminal, on a page, in a report, and free of keys.
//!
//! A file is written by anybody. A control character in its name, its model or a heading could move
//! a terminal's cursor or set its title, and a mark of writing direction could turn the numbers that
//! follow it around.

use super::protocol::{Opened, Refusal};
use super::secrets;
use crate::model::{ReportPlan, Run, ServerDump};
use crate::notice::{Notice, Place, Severity};
use crate::session_file::Places;
use std::collections::BTreeSet;

/// A name of more characters than this is cut.
const LONGEST_NAME: usize = 300;

/// `text` fit to be shown: keys and passwords hidden, and no characters that act instead of being
/// seen. Line ends are spaces, other controls their pictures, marks of writing direction the
/// replacement character.
pub fn plain(text: &str) -> String {
    let masked = secrets::mask(text);
    let seen = masked.as_deref().unwrap_or(text).chars().map(|c| match c {
        '\t' | '\n' | '\r' | '\u{2028}' | '\u{2029}' => ' ',
        '\0'..='\u{1f}' => char::from_u32(0x2400 + c as u32).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c => c,
    });
    seen.collect()
}

fn name(text: &mut String) {
    let mut short: String = plain(text);
    if let Some((cut, _)) = short.char_indices().nth(LONGEST_NAME) {
        short.truncate(cut);
        short.push('…');
    }
    *text = short;
}

/// The plan of a report with no characters that act; the paragraphs of a note stay.
pub(super) fn plan(plan: &ReportPlan) -> ReportPlan {
    let mut plan = plan.clone();
    let lines = |text: &str| text.split('\n').map(plain).collect::<Vec<_>>().join("\n");
    for text in [&mut plan.title, &mut plan.author] {
        *text = plain(text);
    }
    for section in &mut plan.sections {
        section.title = plain(&section.title);
        section.note = lines(&section.note);
    }
    plan
}

/// Last parts of keys whose value is a command line, a header or what was said to a model.
const TEXTS: [&str; 11] = [
    "command",
    "cmd",
    "argv",
    "args",
    "cli_command",
    "command_line",
    "headers",
    "header",
    "extra_headers",
    "messages",
    "input_text",
];

/// Whether a setting is a text that is none of ours: a command line, a header, or a prompt in words.
fn is_text(key: &str, value: &str) -> bool {
    let last = key.rsplit(['.', '/', ' ']).next().unwrap_or(key).to_ascii_lowercase();
    let prompt = last.split(['_', '-']).any(|word| matches!(word, "prompt" | "prompts"));
    TEXTS.contains(&last.as_str()) || prompt && value.trim().contains(char::is_whitespace)
}

/// Makes all texts of a run fit to be shown; a note says where a key was hidden.
pub(super) fn run(run: &mut Run) {
    let mut hidden = false;
    let Run { name: title, version, workload, provenance, reported, group, .. } = run;
    let workload_names = [
        &mut workload.model,
        &mut workload.tokenizer,
        &mut workload.dataset,
        &mut workload.endpoint,
        &mut workload.backend,
        &mut workload.date,
    ];
    let others = [&mut version.exact, &mut version.guess, &mut version.because, group];
    let origin = [&mut provenance.kin, &mut provenance.stem];
    let optional = workload_names.into_iter().chain(others).chain(origin).flatten();
    let values = reported.values.iter_mut().map(|value| &mut value.field);
    let further = reported.further.iter_mut().flat_map(|one| [&mut one.field, &mut one.unit]);
    let names = optional.chain(values).chain(further).chain([title, &mut provenance.because]);
    for text in names {
        hidden |= secrets::mask(text).is_some();
        name(text);
    }
    workload.settings.retain(|(key, value)| !is_text(key, value));
    for (key, value) in &mut workload.settings {
        if secrets::names_secret(key) && value.as_str() != secrets::HIDDEN {
            secrets::HIDDEN.clone_into(value);
            hidden = true;
        }
        hidden |= [&*key, &*value].into_iter().any(|text| secrets::mask(text).is_some());
        name(key);
        name(value);
    }
    // A name stands on every picture and in every table that is copied.
    if let Some(short) = Places::default().mask(&run.name) {
        run.name = short;
    }
    // The whole path counts, however long.
    hidden |= secrets::mask(&provenance.file).is_some();
    provenance.file = plain(&provenance.file);
    provenance.notices.rewrite(notice);
    if hidden {
        provenance.notices.add(Severity::Note, "key-hidden", Place::WholeFile, KEY_HIDDEN);
    }
}

/// Makes all texts of a server's dump fit to be shown. Names and labels come by the thousand and mean what
/// they are, so only those are rewritten that hold what must not be shown.
pub(super) fn dump(server: &mut ServerDump) {
    let ServerDump { name: title, dump, provenance, .. } = server;
    let mut hidden = false;
    let mut fine: BTreeSet<String> = BTreeSet::new();
    let mut clean = |text: &mut String| {
        if fine.contains(text.as_str()) {
            return;
        }
        let secret = secrets::mask(text).is_some();
        if secret || text.chars().any(acts) {
            hidden |= secret;
            name(text);
        } else {
            fine.insert(text.clone());
        }
    };
    let families = dump.families.iter_mut().flat_map(|family| {
        [Some(&mut family.name), family.help.as_mut(), family.unit.as_mut()].into_iter().flatten()
    });
    let series = dump.series.iter_mut().flat_map(|series| {
        let labels = series.labels.iter_mut().flat_map(|(label, value)| [label, value]);
        std::iter::once(&mut series.name).chain(labels)
    });
    let titles = dump.scrapes.iter_mut().filter_map(|scrape| scrape.title.as_mut());
    let origin = [title, &mut provenance.because, &mut provenance.file];
    families.chain(series).chain(titles).chain(origin).for_each(&mut clean);
    provenance.notices.rewrite(notice);
    if hidden {
        provenance.notices.add(Severity::Note, "key-hidden", Place::WholeFile, KEY_HIDDEN);
    }
}

/// Makes all texts of what was decided in a session fit to be shown. The view is read as a link, which takes
/// nothing else from it.
pub(super) fn opened(opened: &mut Opened) {
    let Opened { file, decided, .. } = opened;
    *file = plain(file);
    let names = decided.names.values_mut().chain(decided.groups.values_mut());
    names.chain([&mut decided.made_by, &mut decided.date]).for_each(name);
}

/// Whether a character acts instead of being seen.
fn acts(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

const KEY_HIDDEN: &str = "A text in the file or its name looks like a key or a password; it is hidden here. If it is real, \
     change it: whoever has the file has the key.";

fn notice(notice: &mut Notice) {
    notice.text = plain(&notice.text);
    for place in &mut notice.places {
        match place {
            Place::JsonPath(text) | Place::Cell { column: text, .. } => name(text),
            _ => {}
        }
    }
}

/// Makes all texts of a refusal fit to be shown.
pub fn refusal(refusal: Refusal) -> Refusal {
    let Refusal { file, kind, what, error, place, advice, mut mapping } = refusal;
    // A heading must come back as it is written; what the cells hold is only looked at.
    for column in mapping.iter_mut().flat_map(|offer| &mut offer.columns) {
        column.samples.iter_mut().for_each(name);
    }
    Refusal {
        file: plain(&file),
        kind,
        what: what.as_deref().map(|what| plain(what).into()),
        error: plain(&error),
        place: plain(&place),
        advice: plain(&advice),
        mapping,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::import::import;

    const HOSTILE: &str = "\u{1b}[2J\u{9b}31m\u{202e}\r\nx";

    fn hostile(text: &str) -> bool {
        text.chars().any(|c| c.is_control() || plain(&c.to_string()) != c.to_string())
    }

    #[test]
    fn what_acts_becomes_visible_and_the_rest_stays() {
        assert_eq!(plain(HOSTILE), "␛[2J\u{fffd}31m\u{fffd}  x");
        let fine = "Größe 模型 نموذج — “x” 3 µs";
        assert_eq!(plain(fine), fine);
    }

    #[test]
    fn no_text_of_a_file_acts() {
        let value = |n: usize| serde_json::json!(HOSTILE.repeat(n));
        let mut file = serde_json::json!({
            "duration": 1.0, "completed": 1, "num_prompts": 1, "model_id": value(1),
            "tokenizer_id": value(1), "backend": value(1), "date": value(1), "label": value(200),
            "ttfts": [0.1], "output_lens": [2], "itls": [[0.1]], "errors": [""],
        });
        file[HOSTILE] = value(1);
        let text = file.to_string();
        let runs =
            import(HOSTILE, &mut text.as_bytes(), false, &mut |_, _, _, _| {}).whole().unwrap();
        let run = &runs[0];
        let settings = run.workload.settings.iter().flat_map(|(key, value)| [key, value]);
        let workload = &run.workload;
        let names = [&workload.model, &workload.tokenizer, &workload.backend, &workload.date];
        let all = settings.chain(names.into_iter().flatten());
        let all: Vec<&String> = all.chain([&run.name, &run.provenance.file]).collect();
        assert!(all.len() > 8, "{all:?}");
        assert!(all.iter().all(|text| !hostile(text)), "{all:?}");
        assert!(all.iter().all(|text| text.chars().count() <= LONGEST_NAME + 1));
    }

    #[test]
    fn no_text_of_a_refused_file_acts() {
        for text in [HOSTILE, "{\"\u{1b}\": 1}", "\u{1b}ttft_ms,e2e_ms\n\u{1b},1\n"] {
            let mut bytes = text.as_bytes();
            let refusal =
                import(HOSTILE, &mut bytes, false, &mut |_, _, _, _| {}).whole().unwrap_err();
            let Refusal { file, error, place, advice, .. } = refusal;
            assert!([file, error, place, advice].iter().all(|text| !hostile(text)), "{text:?}");
        }
    }

    #[test]
    fn unknown_columns_do_not_act() {
        let text = format!("ttft_ms,e2e_ms,output_tokens,\"{HOSTILE}\"\n1,2,3,4\n");
        let runs =
            import("a.csv", &mut text.as_bytes(), false, &mut |_, _, _, _| {}).whole().unwrap();
        let notices = &runs[0].provenance.notices;
        assert!(notices.iter().any(|notice| notice.text.contains('␛')));
        assert!(notices.iter().all(|notice| !hostile(&notice.text)));
    }
}
