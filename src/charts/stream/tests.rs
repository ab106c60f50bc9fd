//! What the drawing of a request shows: marks that can be told apart, fans that open, parts of long ones.

use super::layout::Layout;
use super::*;
use crate::charts::scene::Shape;
use crate::charts::{Mode, testing};

fn at(drawing: &Stream, width: f64, key: Option<&str>) -> Scene {
    let height = drawing.height(width).unwrap();
    drawing.scene_at(Size { width, height }, &Theme::of(Mode::Light), key)
}

fn words(scene: &Scene) -> Vec<String> {
    let word = |shape: &Shape| match shape {
        Shape::Text { text, .. } => Some(text.clone()),
        _ => None,
    };
    scene.shapes.iter().filter_map(word).collect()
}

/// The curves of the scene that are no straight line.
fn curves(scene: &Scene) -> usize {
    let bent = |shape: &&Shape| matches!(shape, Shape::Line { path, .. } if path.len() > 10);
    scene.shapes.iter().filter(bent).count()
}

fn dots(scene: &Scene) -> usize {
    scene.shapes.iter().filter(|shape| matches!(shape, Shape::Circle { .. })).count()
}

#[test]
fn a_request_is_drawn_to_one_clock_with_its_gaps_its_tokens_and_its_results() {
    let drawing = testing::stream();
    let scene = at(&drawing, 1048.0, None);
    let said = words(&scene);
    for needed in [
        "Ruler A",
        "one mark per chunk, in ms",
        "364 ms ÷ 12 gaps",
        "30.3 ms",
        "364 ms ÷ 27 tokens",
        "13.5 ms",
        "wait for the first token: 110 ms",
        "on neither ruler",
        "Chunk 10: 4 tokens",
        "A: one gap of 22.2 ms",
        "B: 4 tokens × 13.5 ms",
        "38",
        "15",
        "27",
        "400",
        "ms since send",
    ] {
        assert!(said.iter().any(|own| own == needed), "{needed} is missing: {said:?}");
    }
    // 28 tokens, the first with a page-coloured ground under its ring.
    assert_eq!(dots(&scene), 29);
    // All marks of B but the first and the last lie elsewhere than their chunk, as far as one can see.
    assert!(curves(&scene) >= 22, "{}", curves(&scene));
}

#[test]
fn marks_are_in_the_order_of_time_and_even_ones_can_be_told_apart() {
    for drawing in [testing::stream(), testing::long_stream(), testing::stream_of_unknown_split()] {
        for width in [1048.0, 700.0, 358.0] {
            let layout = Layout::of(&drawing, width, drawing.pinned);
            let ruler = drawing.b.as_ref().unwrap();
            let step = marks::every(ruler, |time| layout.x(time));
            let drawn: Vec<f64> = ruler
                .marks
                .iter()
                .step_by(step)
                .map(|mark| layout.x(mark.at))
                .filter(|x| layout.shows(*x))
                .collect();
            for (a, b) in drawn.iter().zip(drawn.iter().skip(1)) {
                assert!(b - a >= 6.0 - 1e-9, "{width}: {a} {b}");
            }
            assert!(drawn.len() > 4);
        }
    }
}

#[test]
fn the_pinned_event_is_told_and_another_can_be_pinned() {
    let drawing = testing::stream();
    let other = words(&at(&drawing, 1048.0, Some("event-3")));
    assert!(other.iter().any(|own| own == "Chunk 3: 1 tokens"), "{other:?}");
    let unknown = words(&at(&drawing, 1048.0, Some("nobody")));
    assert!(unknown.iter().any(|own| own.starts_with("Chunk 10")));
    // On a phone the card is not part of the picture.
    let phone = words(&at(&drawing, 358.0, None));
    assert!(!phone.iter().any(|own| own.starts_with("Chunk")), "{phone:?}");
    assert!(phone.iter().any(|own| own == "364 ms ÷ 12 gaps = 30.3 ms"));
    let (wide, narrow) = (Size::new(1048, 258), Size::new(358, 232));
    assert!(drawing.shows_card(wide) && !drawing.shows_card(narrow));
}

#[test]
fn a_split_that_is_not_known_has_hollow_bars_and_no_fan() {
    let scene = at(&testing::stream_of_unknown_split(), 1048.0, None);
    assert_eq!((curves(&scene), dots(&scene)), (0, 0));
}

#[test]
fn long_requests_turn_pages_and_every_event_is_on_one() {
    let drawing = testing::long_stream();
    let size = Size::new(1048, 284);
    assert!(drawing.has_pages(size) && !testing::stream().has_pages(size));
    let mut pages = Vec::new();
    for (event, drawn) in drawing.events.iter().enumerate() {
        let layout = Layout::of(&drawing, 1048.0, Some(event));
        let page = layout.page.unwrap();
        assert!((page.first..page.end).contains(&event));
        let own = layout.x(drawn.at);
        assert!(layout.shows(own), "event {event} is at {own}");
        if !pages.contains(&(page.first, page.end)) {
            pages.push((page.first, page.end));
        }
        // Pinning another event of the page does not move it.
        assert_eq!(Layout::of(&drawing, 1048.0, Some(page.first)).times, layout.times);
    }
    assert!(pages.windows(2).all(|pair| pair[0].1 == pair[1].0), "{pages:?}");
    let said = words(&at(&drawing, 1048.0, Some("event-1")));
    assert!(said.iter().any(|own| own.starts_with("tokens 1 to ")), "{said:?}");
}

#[test]
fn every_event_can_be_hit_and_the_mini_map_leads_to_the_others() {
    for (drawing, width) in [(testing::stream(), 1048.0), (testing::long_stream(), 358.0)] {
        let size = Size { width, height: drawing.height(width).unwrap() };
        let grounds = drawing.grounds(size, None);
        for event in 0..drawing.events.len() {
            assert!(grounds.iter().any(|(at, _, _)| *at == event), "{event}");
        }
        for (_, at, area) in &grounds {
            assert!(area.holds(*at), "{at:?} {area:?}");
        }
    }
}

#[test]
fn the_wait_is_named_wherever_its_hatch_is() {
    let mut drawing = testing::stream();
    for ruler in [&mut drawing.a, &mut drawing.b].into_iter().flatten() {
        // Short names leave little room left of a short wait.
        ruler.under = "one mark per token".into();
        for mark in &mut ruler.marks {
            mark.at = (mark.at - 110.14) * 2.0 + 80.0;
        }
    }
    for event in &mut drawing.events {
        event.at = (event.at - 110.14) * 2.0 + 80.0;
    }
    drawing.wait.as_mut().unwrap().to = 80.0;
    for width in [1048.0, 704.0, 640.0] {
        let all = words(&at(&drawing, width, None)).join(" ");
        assert!(all.contains("110 ms") && all.contains("on neither ruler"), "{width}: {all}");
        assert!(!all.contains('…'), "{width}: {all}");
    }
}

#[test]
fn many_tokens_of_one_event_are_a_number() {
    let mut drawing = testing::stream();
    drawing.events[4].tokens = Some(300);
    let scene = at(&drawing, 1048.0, None);
    assert!(words(&scene).iter().any(|own| own == "300"));
    assert!(dots(&scene) < 60);
}

#[test]
fn a_ruler_of_piles_says_how_many_lie_on_a_mark() {
    let said = words(&at(&testing::stream_of_piles(), 1048.0, None));
    for times in ["×2", "×3", "×4"] {
        assert!(said.iter().any(|own| own == times), "{times}: {said:?}");
    }
}
