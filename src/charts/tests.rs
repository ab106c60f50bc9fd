//! What holds for every chart at every size: words keep apart and inside, pictures stay the same.

use super::drawing::Drawing;
use super::hit::Hits;
use super::spec::Scaling;
use super::testing::{self, Recorder};
use super::{Chart, Medium, Mode, Size, Theme, draw, to_captioned_svg, to_svg};
use proptest::prelude::*;

const SIZES: [(u32, u32); 4] = [(752, 396), (420, 352), (358, 280), (338, 200)];
const MODES: [Mode; 3] = [Mode::Light, Mode::Dark, Mode::Print];

fn charts() -> Vec<(&'static str, Box<dyn Chart>)> {
    let mut charts: Vec<(&'static str, Box<dyn Chart>)> = Vec::new();
    for (name, spec) in testing::specs() {
        charts.push((name, Box::new(spec)));
    }
    charts.push(("strip", Box::new(testing::strip())));
    for (name, drawing) in testing::drawings() {
        charts.push((name, Box::new(drawing)));
    }
    charts
}

/// The sizes of a chart: one that is as high as its rows need stands on a wide screen too.
fn sizes(chart: &dyn Chart) -> Vec<(u32, u32)> {
    let fitted = |width: u32| Some((width, chart.height(f64::from(width))?.ceil() as u32));
    let own: Vec<_> = [1048, 960, 704, 640, 420, 358, 320].into_iter().filter_map(fitted).collect();
    if own.is_empty() { SIZES.to_vec() } else { own }
}

fn record(chart: &dyn Chart, (width, height): (u32, u32), mode: Mode, scale: u32) -> Recorder {
    let mut recorder = Recorder {
        size: (width * scale, height * scale),
        scale: f64::from(scale),
        ..Recorder::default()
    };
    let theme = Theme::of(mode).scaled(f64::from(scale));
    draw(chart, Size::new(width, height), &theme, Medium::Canvas, &mut recorder).unwrap();
    recorder
}

#[test]
fn no_two_texts_overlap_and_none_leaves_the_frame() {
    for (name, chart) in charts() {
        for size in sizes(chart.as_ref()) {
            for mode in MODES {
                let Recorder { texts, .. } = record(chart.as_ref(), size, mode, 2);
                for (i, (text, area)) in texts.iter().enumerate() {
                    let inside = area.left >= -0.5
                        && area.top >= -0.5
                        && area.right <= f64::from(size.0) + 0.5
                        && area.bottom <= f64::from(size.1) + 0.5;
                    assert!(inside, "{name} {size:?}: “{text}” leaves the frame: {area:?}");
                    for (other, ground) in &texts[i + 1..] {
                        // Half a pixel of rounding.
                        let shared = area.left + 0.6 < ground.right
                            && ground.left + 0.6 < area.right
                            && area.top + 0.6 < ground.bottom
                            && ground.top + 0.6 < area.bottom;
                        assert!(!shared, "{name} {size:?}: “{text}” on “{other}”");
                    }
                }
            }
        }
    }
}

#[test]
fn no_mark_leaves_the_frame() {
    for (name, chart) in charts() {
        for (width, height) in sizes(chart.as_ref()) {
            let Recorder { corners, .. } = record(chart.as_ref(), (width, height), Mode::Light, 2);
            let (right, bottom) = ((width * 2).cast_signed(), (height * 2).cast_signed());
            for (x, y) in corners {
                let inside = (-1..=right + 1).contains(&x) && (-1..=bottom + 1).contains(&y);
                assert!(inside, "{name} {width}x{height}: ({x}, {y})");
            }
        }
    }
}

#[test]
fn every_name_is_drawn_or_handed_back_for_a_legend() {
    for (name, spec) in testing::specs() {
        for size in SIZES {
            let Recorder { texts, .. } = record(&spec, size, Mode::Light, 1);
            let scene = spec.scene(Size::new(size.0, size.1), &Theme::of(Mode::Light));
            let named = spec.series.iter().enumerate().filter(|(_, s)| s.end_label.is_some());
            for (i, series) in named {
                let start: String = series.name.chars().take(5).collect();
                let drawn = texts.iter().any(|(t, _)| t.starts_with(&start));
                assert!(drawn || scene.unlabelled.contains(&i), "{name} {size:?}: {}", series.name);
            }
        }
    }
}

#[test]
fn the_main_chart_says_peak_knee_limit_and_saturation() {
    let Recorder { texts, .. } = record(&testing::curves(), (752, 396), Mode::Light, 1);
    let words: Vec<&str> = texts.iter().map(|(t, _)| t.as_str()).collect();
    for needed in ["P", "K", "P K", "10.86", "8.86", "9.52", "SLO 250 ms", "vLLM", "AIPerf"] {
        assert!(words.contains(&needed), "{needed} is missing: {words:?}");
    }
    assert!(words.iter().any(|w| w.starts_with("saturated")), "{words:?}");
    assert!(words.contains(&"TTFT p99, ms, log ↓ better"), "{words:?}");
    assert!(words.contains(&"achieved request rate, req/s better →"), "{words:?}");
}

#[test]
fn layout_is_the_same_at_every_device_scale() {
    let at = |scale| record(&testing::curves(), (752, 396), Mode::Dark, scale).texts;
    for ((one, a), (two, b)) in at(1).iter().zip(&at(3)) {
        assert_eq!(one, two);
        assert!((a.left - b.left).abs() <= 1.0 && (a.top - b.top).abs() <= 1.0, "{one}");
    }
}

#[test]
fn sizes_too_small_for_a_chart_do_no_harm() {
    for (_, chart) in charts() {
        for size in [(1, 1), (20, 400), (400, 20), (60, 60)] {
            record(chart.as_ref(), size, Mode::Light, 1);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Whatever numbers a file holds, a chart is drawn without harm.
    #[test]
    fn hostile_numbers_do_no_harm(
        numbers in prop::collection::vec(any::<f64>(), 24),
        extreme in prop::sample::select(vec![0.0, -1.0, 1e308, -1e308, 5e-324, f64::NAN, f64::INFINITY]),
        log in any::<bool>(),
        fixed in any::<bool>(),
    ) {
        let mut numbers = numbers.into_iter().chain([extreme]).cycle();
        let mut next = || numbers.next().unwrap_or(extreme);
        for (_, mut spec) in testing::specs() {
            if log {
                (spec.x.scale, spec.y.scale) = (Scaling::Log, Scaling::Log);
            }
            if fixed {
                spec.x.domain = Some((next(), next()));
                spec.y.domain = Some((next(), next()));
            }
            for series in &mut spec.series {
                for point in series.points.iter_mut().take(9) {
                    (point.x, point.y) = (next(), next());
                    (point.low, point.high) = (Some(next()), Some(next()));
                }
            }
            spec.limits.iter_mut().for_each(|l| l.value = next());
            spec.zones.iter_mut().for_each(|z| z.from = next());
            spec.brackets.iter_mut().for_each(|b| (b.low, b.high) = (next(), next()));
            spec.bands.iter_mut().flat_map(|b| &mut b.edges).for_each(|e| *e = (next(), next(), next()));
            spec.guides.iter_mut().for_each(|g| g.to = (next(), next()));
            let Recorder { corners, .. } = record(&spec, (420, 352), Mode::Light, 1);
            for (x, y) in corners {
                prop_assert!((-20..=440).contains(&x) && (-20..=372).contains(&y), "({x}, {y})");
            }
        }
        for (_, mut drawing) in testing::drawings() {
            match &mut drawing {
                Drawing::Waterfall(waterfall) => {
                    for row in &mut waterfall.rows {
                        row.span = Some((next(), next()));
                        (row.low, row.high) = (Some(next()), Some(next()));
                    }
                }
                Drawing::Stream(stream) => {
                    stream.events.iter_mut().for_each(|event| event.at = next());
                    let rulers = [&mut stream.a, &mut stream.b].into_iter().flatten();
                    rulers.flat_map(|ruler| &mut ruler.marks).for_each(|mark| mark.at = next());
                    stream.wait.iter_mut().for_each(|wait| wait.to = next());
                }
                // Plots are drawn above, and a map holds no numbers that are laid out.
                Drawing::Plot(_) | Drawing::Heat(_) => {}
                Drawing::Lanes(lanes) => {
                    lanes.clock = (next(), next());
                    for lane in lanes.lanes.iter_mut().take(20) {
                        lane.pieces.iter_mut().for_each(|p| (p.from, p.to) = (next(), next()));
                        lane.end.iter_mut().for_each(|end| end.0 = next());
                    }
                    lanes.stalls.iter_mut().for_each(|s| (s.from, s.to) = (next(), next()));
                    lanes.window = Some((next(), next()));
                    if let Some(flight) = &mut lanes.flight {
                        flight.steps.iter_mut().for_each(|step| *step = (next(), next()));
                    }
                    if let Some(output) = &mut lanes.output {
                        (output.from, output.width) = (next(), next());
                        output.values.iter_mut().for_each(|value| *value = next());
                    }
                }
            }
            for width in [420, 700] {
                let size = (width, drawing.height(f64::from(width)).map_or(300, |h| h as u32));
                let Recorder { corners, .. } = record(&drawing, size, Mode::Light, 1);
                for (x, _) in corners {
                    prop_assert!((-60..=width as i32 + 60).contains(&x), "{x}");
                }
                Hits::of(&drawing, Size::new(size.0, size.1), None);
            }
        }
        let mut strip = testing::strip();
        strip.marks.iter_mut().for_each(|m| (m.top, m.bottom) = (next(), Some(next())));
        record(&strip, (356, 120), Mode::Light, 1);
    }
}

#[test]
fn an_svg_shows_text_at_its_size_and_carries_title_and_summary() {
    let svg = to_svg(&testing::curves(), 752, 396, &Theme::of(Mode::Light));
    assert!(svg.contains("viewBox=\"0 0 3008 1584\" width=\"752\" height=\"396\" role=\"img\""));
    assert!(svg.contains("<title>SGLang’s run goes further"), "{svg}");
    assert!(svg.contains("<desc>Three runs."));
    // 12 px at four times: once on the root, so no text says otherwise.
    assert_eq!(svg.matches("font-size=").count(), 1, "{svg}");
    assert!(svg.contains("font-size=\"48\""));
    assert!(!svg.contains("style=") && !svg.contains(" id="));
    let twice = to_svg(&testing::curves(), 752, 396, &Theme::of(Mode::Light));
    assert_eq!(svg, twice);
}

#[test]
fn words_from_files_are_escaped_in_an_svg() {
    let mut spec = testing::curves();
    spec.title = "a < b & \"c\"".into();
    spec.series[0].end_label = Some("<script>".into());
    for svg in [
        to_svg(&spec, 752, 396, &Theme::of(Mode::Light)),
        to_captioned_svg(&spec, 752, 396, &Theme::of(Mode::Light)),
    ] {
        assert!(!svg.contains("<script>") && svg.contains("&lt;script&gt;"));
        assert!(svg.contains("aria-label=\"a &lt; b &amp; &quot;c&quot;\""));
    }
}

#[test]
fn pictures_stay_the_same() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        let light = Theme::of(Mode::Light);
        let curves = to_svg(&testing::curves(), 752, 396, &light);
        insta::assert_snapshot!("chart_curves_light", curves);
        let print = Theme::of(Mode::Print);
        let goodput = to_captioned_svg(&testing::goodput(), 420, 352, &print);
        insta::assert_snapshot!("chart_goodput_print", goodput);
        let dark = Theme::of(Mode::Dark);
        let strip = to_svg(&testing::strip(), 356, 120, &dark);
        insta::assert_snapshot!("chart_strip_dark", strip);
        for (theme, mode) in [(&light, "light"), (&dark, "dark"), (&print, "print")] {
            for (name, spec) in [("nines", testing::nines()), ("bars", testing::bars())] {
                let of = |width, height| to_svg(&spec, width, height, theme);
                insta::assert_snapshot!(format!("chart_{name}_{mode}"), of(560, 350));
                insta::assert_snapshot!(format!("chart_{name}_{mode}_phone"), of(358, 280));
            }
        }
    });
}

#[test]
fn drawings_of_rulers_and_requests_stay_the_same() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        let of = |chart: &dyn Chart, width: u32, mode: Mode| {
            let height = chart.height(f64::from(width)).unwrap().ceil() as u32;
            to_captioned_svg(chart, width, height, &Theme::of(mode))
        };
        let (waterfall, stream) = (testing::waterfall(), testing::stream());
        let lanes = testing::lanes();
        for (mode, name) in [(Mode::Light, "light"), (Mode::Dark, "dark"), (Mode::Print, "print")] {
            insta::assert_snapshot!(format!("waterfall_{name}"), of(&waterfall, 704, mode));
            insta::assert_snapshot!(format!("stream_{name}"), of(&stream, 1048, mode));
            insta::assert_snapshot!(format!("lanes_{name}"), of(&lanes, 664, mode));
        }
        insta::assert_snapshot!("lanes_phone", of(&lanes, 358, Mode::Light));
        insta::assert_snapshot!("waterfall_phone", of(&waterfall, 358, Mode::Light));
        insta::assert_snapshot!("stream_phone", of(&stream, 358, Mode::Light));
    });
}

#[test]
fn maps_stay_the_same() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        let of = |chart: &dyn Chart, width: u32, mode: Mode| {
            let height = chart.height(f64::from(width)).unwrap().ceil() as u32;
            to_captioned_svg(chart, width, height, &Theme::of(mode))
        };
        for (mode, name) in [(Mode::Light, "light"), (Mode::Dark, "dark"), (Mode::Print, "print")] {
            insta::assert_snapshot!(format!("heat_{name}"), of(&testing::heat(), 522, mode));
            let difference = of(&testing::heat_difference(), 522, mode);
            insta::assert_snapshot!(format!("heat_difference_{name}"), difference);
        }
        insta::assert_snapshot!("heat_phone", of(&testing::heat(), 358, Mode::Light));
    });
}
