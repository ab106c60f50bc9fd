//! What a waterfall shows: lengths that are the numbers, words that have room.

use super::bars::Layout;
use super::*;
use crate::charts::scene::Shape;
use crate::charts::{Mode, testing};

fn scene(drawing: &Waterfall, width: f64) -> Scene {
    let height = drawing.height(width).unwrap();
    drawing.scene(Size { width, height }, &Theme::of(Mode::Light))
}

fn words(scene: &Scene) -> Vec<(String, Rect)> {
    let word = |shape: &Shape| match shape {
        Shape::Text { text, .. } => Some((text.clone(), shape.text_box()?)),
        _ => None,
    };
    scene.shapes.iter().filter_map(word).collect()
}

#[test]
fn a_bar_is_as_long_as_its_number_and_the_steps_add_up() {
    let drawing = testing::waterfall();
    for width in [704.0, 358.0] {
        let layout = Layout::of(&drawing, width);
        let bars: Vec<Rect> =
            drawing.rows.iter().zip(&layout.rows).map(|(r, p)| layout.bar(r, p)).collect();
        let (a, b) = (bars[0], bars[3]);
        assert!((a.width() / b.width() - 30.600_8 / 13.566_9).abs() < 1e-9, "{width}");
        assert!((bars[1].right - a.right).abs() < 1e-9, "the first step starts where A ends");
        assert!((bars[2].right - bars[1].left).abs() < 1e-9);
        assert!((bars[2].left - b.right).abs() < 1e-9, "the last step ends where B ends");
        // 1.03 times the largest value fills the plot.
        let plot = if width > 700.0 { (252.0, 592.0) } else { (0.0, 268.0) };
        assert!((a.right - plot.0 - (plot.1 - plot.0) / 1.03).abs() < 1e-6, "{a:?}");
        assert!((a.left - plot.0).abs() < 1e-9);
    }
}

#[test]
fn the_shorter_number_is_seen_inside_the_longer_one() {
    let drawing = testing::waterfall();
    let said = words(&scene(&drawing, 704.0));
    let count = |what: &str| said.iter().filter(|(words, _)| words == what).count();
    // The badge of B, B twice in A, once in B.
    assert_eq!((count("B"), count("¼ B"), count("A")), (4, 1, 1));
    assert_eq!(count("÷ 2.25 tokens") + count("a hair’s breadth at this scale"), 2);
    assert!(count("30 ms") == 1 && count("30.60 ms") == 1);
    // Swapped, A lies inside B.
    let mut swapped = drawing;
    swapped.rows[0].span = Some((0.0, 10.0));
    swapped.rows[3].span = Some((0.0, 30.0));
    let said = words(&scene(&swapped, 704.0));
    assert_eq!(said.iter().filter(|(words, _)| words == "A").count(), 5, "{said:?}");
}

#[test]
fn a_cause_that_has_no_room_gives_way_to_a_shorter_one_or_to_none() {
    let mut drawing = testing::waterfall();
    let has = |drawing: &Waterfall, what: &str| {
        words(&scene(drawing, 704.0)).iter().any(|(words, _)| words == what)
    };
    drawing.rows[1].span = Some((30.6, 20.0));
    assert!(has(&drawing, "÷ 2.25") && !has(&drawing, "÷ 2.25 tokens"));
    drawing.rows[1].span = Some((30.6, 26.0));
    assert!(!has(&drawing, "÷ 2.25") && !has(&drawing, "−56 %"));
}

#[test]
fn a_step_that_changes_nothing_says_so_and_points_nowhere() {
    let mut drawing = testing::waterfall();
    drawing.rows[2].span = Some((13.597_8, 13.597_8 + 1e-14));
    let scene = scene(&drawing, 704.0);
    let said = words(&scene);
    assert!(said.iter().any(|(words, _)| words == "changes nothing here"), "{said:?}");
    assert!(!said.iter().any(|(words, _)| words.contains("hair")));
}

#[test]
fn a_bound_on_one_side_says_where_the_number_may_lie() {
    let mut drawing = testing::waterfall();
    drawing.rows[2].low = Some(13.566_9);
    let has = |drawing: &Waterfall, what: &str| {
        words(&scene(drawing, 704.0)).iter().any(|(words, _)| words.contains(what))
    };
    assert!(has(&drawing, "or more") && !has(&drawing, "hair"));
    (drawing.rows[2].low, drawing.rows[2].high) = (None, Some(13.566_9));
    assert!(has(&drawing, "or less"));
}

#[test]
fn what_is_not_known_has_words_and_no_bar() {
    let drawing = testing::waterfall_of_two_runs();
    let said = words(&scene(&drawing, 704.0));
    assert!(said.iter().any(|(words, _)| words == "not known"));
    let size = Size { width: 704.0, height: 400.0 };
    let grounds = drawing.grounds(size);
    let unknown = drawing.rows.iter().position(|row| row.key == "unknown").unwrap();
    assert!(grounds[unknown].bar.width() < 1e-9);
    // Every row can be hit, and no two in one place.
    for (above, below) in grounds.iter().zip(grounds.iter().skip(1)) {
        assert!(above.strip.bottom <= below.strip.top + 1e-9);
        assert!(above.strip.height() >= 24.0);
    }
}

#[test]
fn long_names_break_into_lines_and_none_is_cut() {
    let drawing = testing::waterfall_of_two_runs();
    for width in [704.0, 358.0] {
        let all: String =
            words(&scene(&drawing, width)).into_iter().map(|(words, _)| words + " ").collect();
        let title = &drawing.rows[2].title;
        assert!(all.contains(title.as_str()), "{width}: {all}");
        assert!(!all.contains('…'));
    }
}
