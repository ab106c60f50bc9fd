//! What the drawing of requests shows: lanes that can be hit, stalls through all pictures, words that fit.

use super::*;
use crate::charts::scene::Shape;
use crate::charts::{Mode, testing};

fn at(lanes: &Lanes, width: f64) -> Scene {
    let height = lanes.height(width).unwrap();
    lanes.scene(Size { width, height }, &Theme::of(Mode::Light))
}

fn words(scene: &Scene) -> Vec<String> {
    let word = |shape: &Shape| match shape {
        Shape::Text { text, .. } => Some(text.clone()),
        _ => None,
    };
    scene.shapes.iter().filter_map(word).collect()
}

#[test]
fn a_run_is_drawn_with_its_stall_its_key_and_both_lines() {
    let said = words(&at(&testing::lanes(), 664.0));
    for needed in [
        "request, in order of start",
        "to first token",
        "decode",
        "long gap",
        "last token",
        "stall 1.52 s · 1 request · 21 others went on",
        "in flight, requests",
        "most 7",
        "output, tok/s, bins of 0.5 s",
        "s from the first send",
        "20",
        "1",
    ] {
        assert!(said.iter().any(|own| own == needed), "{needed} is missing: {said:?}");
    }
    // On a phone the shorter wording stands over the stall.
    let phone = words(&at(&testing::lanes(), 358.0));
    assert!(phone.iter().any(|own| own.starts_with("stall 1.52 s")), "{phone:?}");
}

#[test]
fn every_lane_is_hit_on_its_strip_and_they_do_not_overlap() {
    for lanes in [testing::lanes(), testing::many_lanes()] {
        let size = Size { width: 664.0, height: lanes.height(664.0).unwrap() };
        let grounds = lanes.grounds(size);
        assert_eq!(grounds.len(), lanes.lanes.len());
        for pair in grounds.windows(2) {
            assert!(pair[0].0.bottom <= pair[1].0.top + 1e-9, "{pair:?}");
        }
        assert!(grounds.iter().all(|(strip, own)| strip.encloses(own)), "{grounds:?}");
    }
}

#[test]
fn the_chosen_request_is_named_beside_its_lane() {
    let mut lanes = testing::lanes();
    let before = words(&at(&lanes, 664.0)).len();
    lanes.chosen = Some("request-13".into());
    lanes.chosen_label = "13".into();
    let said = words(&at(&lanes, 664.0));
    assert_eq!(said.len(), before + 1, "{said:?}");
    assert!(said.iter().any(|own| own == "13"));
}

#[test]
fn hundreds_of_lanes_are_as_high_as_fifty() {
    let (few, many) = (testing::lanes(), testing::many_lanes());
    let height = |lanes: &Lanes| lanes.height(664.0).unwrap();
    assert!((height(&few) - height(&many)).abs() < 170.0, "{} {}", height(&few), height(&many));
    assert_eq!(many.lanes.len(), 400);
    let ((left, right), (top, bottom)) = few.clock_ground(664.0);
    assert!(left < right && top < bottom && bottom < height(&few));
}

#[test]
fn numbers_at_the_left_are_whole_however_many_digits_they_have() {
    let said = words(&at(&testing::many_lanes(), 664.0));
    for number in ["1", "20,000", "100,000", "50,123"] {
        assert!(said.iter().any(|own| own == number), "{number} is missing: {said:?}");
    }
    assert!(said.iter().all(|own| !own.ends_with('…')), "{said:?}");
}
