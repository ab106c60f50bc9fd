//! The one palette: interface tokens, run colours, markers and dashes, in light, dark and print.
//!
//! Charts read it directly; the page and the report get it as CSS variables, so no style sheet
//! repeats a colour. The tests keep the contrast and the distance between runs that the colours
//! were searched for.

use serde::{Deserialize, Serialize};
use std::fmt::{self, Write as _};

/// An opaque colour, 8 bits a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rgb(pub u8, pub u8, pub u8);

impl Rgb {
    const fn hex(value: u32) -> Self {
        Self((value >> 16) as u8, (value >> 8) as u8, value as u8)
    }

    /// This colour with a share of another laid over it.
    #[must_use]
    pub fn mixed(self, over: Self, share: f64) -> Self {
        let mix =
            |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * share).round() as u8;
        Self(mix(self.0, over.0), mix(self.1, over.1), mix(self.2, over.2))
    }
}

impl fmt::Display for Rgb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02X}{:02X}{:02X}", self.0, self.1, self.2)
    }
}

/// The colours of one of two rulers that are laid on the same stretch of time.
///
/// They name a ruler, never a run, and never mean better or worse; its letter always stands with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RulerColours {
    /// Its face.
    pub ground: Rgb,
    /// Its edge, and thin lines that lead to it.
    pub edge: Rgb,
    /// Its marks and its badge.
    pub mark: Rgb,
    /// Numbers on it.
    pub ink: Rgb,
    /// The stretch of it that is pinned.
    pub held: Rgb,
}

impl RulerColours {
    const fn hex([ground, edge, mark, ink, held]: [u32; 5]) -> Self {
        Self {
            ground: Rgb::hex(ground),
            edge: Rgb::hex(edge),
            mark: Rgb::hex(mark),
            ink: Rgb::hex(ink),
            held: Rgb::hex(held),
        }
    }

    /// Every colour with the end of the name of its CSS variable.
    pub const fn tokens(&self) -> [(&'static str, Rgb); 5] {
        [
            ("ground", self.ground),
            ("edge", self.edge),
            ("mark", self.mark),
            ("ink", self.ink),
            ("held", self.held),
        ]
    }
}

/// The channels of a colour in linear light.
fn linear(Rgb(r, g, b): Rgb) -> [f64; 3] {
    [r, g, b].map(|channel| {
        let c = f64::from(channel) / 255.0;
        if c <= 0.040_45 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
    })
}

/// Contrast ratio of WCAG 2.2.
fn contrast(a: Rgb, b: Rgb) -> f64 {
    let luminance = |c| {
        let [r, g, b] = linear(c);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    };
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// Which of the three palettes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Mode {
    /// Dark ink on white.
    #[default]
    Light,
    /// Light ink on near black.
    Dark,
    /// Paper: light without tinted grounds.
    Print,
}

/// Every colour of the interface and of charts, and how many device pixels one pixel has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Theme {
    /// Which palette this is.
    pub mode: Mode,
    /// Device pixels per CSS pixel. Multiplies positions, strokes and text; layout stays the same.
    pub scale: f64,
    /// Ground of the page and of charts.
    pub page: Rgb,
    /// Ground of the rail and of panels.
    pub surface: Rgb,
    /// Ground of raised parts.
    pub raised: Rgb,
    /// Text and values.
    pub ink: Rgb,
    /// Secondary text, tick labels.
    pub ink2: Rgb,
    /// Captions and stamps.
    pub ink3: Rgb,
    /// Decorative rules.
    pub rule: Rgb,
    /// Borders of controls.
    pub control: Rgb,
    /// Grid lines.
    pub grid: Rgb,
    /// Axis lines.
    pub axis: Rgb,
    /// Links, the chosen state, and "better".
    pub accent: Rgb,
    /// Ground of what is chosen.
    pub wash: Rgb,
    /// Text on accent or focus ground.
    pub on_accent: Rgb,
    /// "Worse".
    pub worse: Rgb,
    /// "Better".
    pub better: Rgb,
    /// Reproduced, fine.
    pub ok: Rgb,
    /// Ground of `ok`.
    pub ok_wash: Rgb,
    /// Warning.
    pub warn: Rgb,
    /// Ground of `warn`.
    pub warn_wash: Rgb,
    /// Failing, limits.
    pub bad: Rgb,
    /// Ground of `bad`.
    pub bad_wash: Rgb,
    /// Keyboard focus and the selected point.
    pub focus: Rgb,
    /// The eight run colours.
    pub series: [Rgb; 8],
    /// Sequential ramp from little to much, for heat maps.
    pub ramp: [Rgb; 7],
    /// Ruler A: warm, as boxwood.
    pub a: RulerColours,
    /// Ruler B: cool, as steel.
    pub b: RulerColours,
}

const LIGHT: Theme = Theme {
    mode: Mode::Light,
    scale: 1.0,
    page: Rgb::hex(0xFF_FFFF),
    surface: Rgb::hex(0xF6_F8FA),
    raised: Rgb::hex(0xEC_F0F4),
    ink: Rgb::hex(0x14_191F),
    ink2: Rgb::hex(0x41_4B57),
    ink3: Rgb::hex(0x5A_6673),
    rule: Rgb::hex(0xD3_DAE2),
    control: Rgb::hex(0x7B_8794),
    grid: Rgb::hex(0xE3_E8ED),
    axis: Rgb::hex(0x6B_7785),
    accent: Rgb::hex(0x0B_5CAD),
    wash: Rgb::hex(0xE4_EFFA),
    on_accent: Rgb::hex(0xFF_FFFF),
    worse: Rgb::hex(0xA8_480A),
    better: Rgb::hex(0x0B_5CAD),
    ok: Rgb::hex(0x0F_6B52),
    ok_wash: Rgb::hex(0xE1_F3EC),
    warn: Rgb::hex(0x8A_5300),
    warn_wash: Rgb::hex(0xFC_F0DC),
    bad: Rgb::hex(0xB3_261E),
    bad_wash: Rgb::hex(0xFB_E6E4),
    focus: Rgb::hex(0x0B_5CAD),
    series: [
        Rgb::hex(0x00_3D74),
        Rgb::hex(0xCA_7E31),
        Rgb::hex(0x58_97A9),
        Rgb::hex(0xAD_2FC3),
        Rgb::hex(0x6E_3E37),
        Rgb::hex(0x00_7974),
        Rgb::hex(0x26_292E),
        Rgb::hex(0x77_6923),
    ],
    ramp: [
        Rgb::hex(0xE8_F1FB),
        Rgb::hex(0xC3_DBF3),
        Rgb::hex(0x94_BFE6),
        Rgb::hex(0x5E_9DD3),
        Rgb::hex(0x2F_78B7),
        Rgb::hex(0x0F_5590),
        Rgb::hex(0x00_3462),
    ],
    a: RulerColours::hex([0xFB_F2E2, 0xD8_B889, 0x8A_5A16, 0x66_420C, 0xEB_D8BA]),
    b: RulerColours::hex([0xE7_F1FB, 0x9C_C2E6, 0x0B_5CAD, 0x0A_437E, 0xC1_D9F0]),
};

const DARK: Theme = Theme {
    mode: Mode::Dark,
    scale: 1.0,
    page: Rgb::hex(0x0F_1419),
    surface: Rgb::hex(0x17_1D24),
    raised: Rgb::hex(0x21_2932),
    ink: Rgb::hex(0xE9_EEF3),
    ink2: Rgb::hex(0xBA_C4CE),
    ink3: Rgb::hex(0x94_A0AC),
    rule: Rgb::hex(0x32_3C47),
    control: Rgb::hex(0x7F_8B98),
    grid: Rgb::hex(0x25_2E37),
    axis: Rgb::hex(0x8A_96A3),
    accent: Rgb::hex(0x7C_B8F2),
    wash: Rgb::hex(0x12_304D),
    on_accent: Rgb::hex(0x0F_1419),
    worse: Rgb::hex(0xF3_A065),
    better: Rgb::hex(0x7C_B8F2),
    ok: Rgb::hex(0x6F_D0AE),
    ok_wash: Rgb::hex(0x10_352A),
    warn: Rgb::hex(0xF0_B455),
    warn_wash: Rgb::hex(0x3A_2A0C),
    bad: Rgb::hex(0xFF_9A90),
    bad_wash: Rgb::hex(0x46_171A),
    focus: Rgb::hex(0x9C_CBF8),
    series: [
        Rgb::hex(0x14_6AFB),
        Rgb::hex(0xED_7B1A),
        Rgb::hex(0x65_BCEE),
        Rgb::hex(0x9F_779A),
        Rgb::hex(0xCB_4641),
        Rgb::hex(0x20_F6A5),
        Rgb::hex(0xE0_E9F6),
        Rgb::hex(0xFE_CA21),
    ],
    ramp: [
        Rgb::hex(0x10_243A),
        Rgb::hex(0x12_395F),
        Rgb::hex(0x17_5389),
        Rgb::hex(0x2A_72B5),
        Rgb::hex(0x55_97D6),
        Rgb::hex(0x90_BEEB),
        Rgb::hex(0xCF_E6FB),
    ],
    a: RulerColours::hex([0x2B_2214, 0x6D_552C, 0xD9_A85A, 0xF0_CD97, 0x48_381F]),
    b: RulerColours::hex([0x11_273C, 0x2F_5F8C, 0x7C_B8F2, 0xB5_D8FA, 0x20_4364]),
};

impl Theme {
    /// The palette of a mode at one device pixel per pixel.
    pub const fn of(mode: Mode) -> Self {
        match mode {
            Mode::Light => LIGHT,
            Mode::Dark => DARK,
            Mode::Print => Theme {
                mode: Mode::Print,
                surface: LIGHT.page,
                raised: LIGHT.page,
                a: RulerColours { ground: LIGHT.page, ..LIGHT.a },
                b: RulerColours { ground: LIGHT.page, ..LIGHT.b },
                ..LIGHT
            },
        }
    }

    /// The same palette for a screen with `scale` device pixels per CSS pixel.
    #[must_use]
    pub const fn scaled(self, scale: f64) -> Self {
        Self { scale, ..self }
    }

    /// The colour of a run by its palette index; it repeats after eight.
    pub fn run(&self, style: u8) -> Rgb {
        let [s1, s2, s3, s4, s5, s6, s7, s8] = self.series;
        match style % 8 {
            0 => s1,
            1 => s2,
            2 => s3,
            3 => s4,
            4 => s5,
            5 => s6,
            6 => s7,
            _ => s8,
        }
    }

    /// The colour of words on some ground: ink or page, whichever is told apart better.
    pub fn on(&self, ground: Rgb) -> Rgb {
        if contrast(self.ink, ground) >= contrast(self.page, ground) { self.ink } else { self.page }
    }

    /// Every interface colour with the name of its CSS variable.
    pub const fn tokens(&self) -> [(&'static str, Rgb); 22] {
        [
            ("page", self.page),
            ("surface", self.surface),
            ("raised", self.raised),
            ("ink", self.ink),
            ("ink-2", self.ink2),
            ("ink-3", self.ink3),
            ("rule", self.rule),
            ("control", self.control),
            ("grid", self.grid),
            ("axis", self.axis),
            ("accent", self.accent),
            ("wash", self.wash),
            ("on-accent", self.on_accent),
            ("worse", self.worse),
            ("better", self.better),
            ("ok", self.ok),
            ("ok-wash", self.ok_wash),
            ("warn", self.warn),
            ("warn-wash", self.warn_wash),
            ("bad", self.bad),
            ("bad-wash", self.bad_wash),
            ("focus", self.focus),
        ]
    }
}

/// The palette as CSS declarations (`--page:#FFFFFF;…--s1:…--s8:…--ramp1:…--ramp7:…--a-ground:…--b-held:…`),
/// to be put inside a rule by the caller.
pub fn css_variables(theme: &Theme) -> String {
    let scheme = if theme.mode == Mode::Dark { "dark" } else { "light" };
    let mut css = format!("color-scheme:{scheme};");
    let mut put = |name: &str, colour: Rgb| {
        // Writing to a String does not fail.
        let _ = write!(css, "--{name}:{colour};");
    };
    for (name, colour) in theme.tokens() {
        put(name, colour);
    }
    for (i, colour) in (1..).zip(theme.series) {
        put(&format!("s{i}"), colour);
    }
    for (i, colour) in (1..).zip(theme.ramp) {
        put(&format!("ramp{i}"), colour);
    }
    for (ruler, colours) in [("a", theme.a), ("b", theme.b)] {
        for (name, colour) in colours.tokens() {
            put(&format!("{ruler}-{name}"), colour);
        }
    }
    css
}

/// The dash of a run's line: drawn and skipped lengths in pixels; nothing for a solid line.
///
/// Runs 5 and 6 are dashed, 7 and 8 short-dashed, so that line and marker alone tell them apart.
pub const fn dash(style: u8) -> Option<(f64, f64)> {
    match style {
        0..=3 => None,
        4 | 5 => Some((6.0, 3.0)),
        6 | 7 => Some((2.0, 3.0)),
        _ => Some((1.0, 2.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn times(m: [[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
        m.map(|row| row.iter().zip(v).map(|(a, b)| a * b).sum())
    }

    /// OKLab of linear RGB (Ottosson 2020).
    fn oklab(rgb: [f64; 3]) -> [f64; 3] {
        let lms = times(
            [
                [0.412_221_470_8, 0.536_332_536_3, 0.051_445_992_9],
                [0.211_903_498_2, 0.680_699_545_1, 0.107_396_956_6],
                [0.088_302_461_9, 0.281_718_837_6, 0.629_978_700_5],
            ],
            rgb.map(|c| c.clamp(0.0, 1.0)),
        );
        times(
            [
                [0.210_454_255_3, 0.793_617_785_0, -0.004_072_046_8],
                [1.977_998_495_1, -2.428_592_205_0, 0.450_593_709_9],
                [0.025_904_037_1, 0.782_771_766_2, -0.808_675_766_0],
            ],
            lms.map(f64::cbrt),
        )
    }

    /// Normal sight, then protan, deutan and tritan at full strength (Machado et al. 2009).
    const SIGHTS: [[[f64; 3]; 3]; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [
            [0.152_286, 1.052_583, -0.204_868],
            [0.114_503, 0.786_281, 0.099_216],
            [-0.003_882, -0.048_116, 1.051_998],
        ],
        [
            [0.367_322, 0.860_646, -0.227_968],
            [0.280_085, 0.672_501, 0.047_413],
            [-0.011_820, 0.042_940, 0.968_881],
        ],
        [
            [1.255_528, -0.076_749, -0.178_779],
            [-0.078_411, 0.930_809, 0.147_602],
            [0.004_733, 0.691_367, 0.303_900],
        ],
    ];

    const MODES: [Mode; 3] = [Mode::Light, Mode::Dark, Mode::Print];

    #[test]
    fn text_reaches_4_5_on_every_ground() {
        for mode in MODES {
            let t = Theme::of(mode);
            for text in [t.ink, t.ink2, t.ink3, t.accent, t.worse, t.better, t.ok, t.warn, t.bad] {
                for ground in [t.page, t.surface, t.raised] {
                    let ratio = contrast(text, ground);
                    assert!(ratio >= 4.5, "{mode:?}: {text} on {ground}: {ratio:.2}");
                }
            }
            let pairs = [
                (t.on_accent, t.accent),
                (t.on_accent, t.focus),
                (t.ok, t.ok_wash),
                (t.warn, t.warn_wash),
                (t.bad, t.bad_wash),
                (t.accent, t.wash),
                // Badges, numbers on rulers, and the name of one ruler inside the other.
                (t.on_accent, t.a.mark),
                (t.on_accent, t.b.mark),
                (t.a.ink, t.a.ground),
                (t.a.ink, t.a.held),
                (t.a.ink, t.page),
                (t.b.ink, t.b.ground),
                (t.b.ink, t.b.held),
                (t.b.ink, t.page),
                (t.b.mark, t.a.ground),
                (t.a.mark, t.b.ground),
                (t.a.mark, t.a.ground),
                (t.b.mark, t.b.ground),
            ];
            for (text, ground) in pairs {
                let ratio = contrast(text, ground);
                assert!(ratio >= 4.5, "{mode:?}: {text} on {ground}: {ratio:.2}");
            }
        }
    }

    #[test]
    fn marks_and_borders_reach_3_on_page_and_surface() {
        for mode in MODES {
            let t = Theme::of(mode);
            for mark in t.series.into_iter().chain([t.control, t.axis, t.focus]) {
                for ground in [t.page, t.surface] {
                    let ratio = contrast(mark, ground);
                    assert!(ratio >= 3.0, "{mode:?}: {mark} on {ground}: {ratio:.2}");
                }
            }
        }
    }

    #[test]
    fn marks_of_a_ruler_reach_3_on_it_and_the_rulers_stay_apart() {
        for mode in MODES {
            let t = Theme::of(mode);
            for ruler in [t.a, t.b] {
                for ground in [ruler.ground, ruler.held, t.page] {
                    let ratio = contrast(ruler.mark, ground);
                    assert!(ratio >= 3.0, "{mode:?}: {} on {ground}: {ratio:.2}", ruler.mark);
                }
            }
            for matrix in SIGHTS {
                let [a, b] = [t.a.mark, t.b.mark].map(|c| oklab(times(matrix, linear(c))));
                let gap = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                assert!(gap > 0.09, "{mode:?}: {} and {}: {gap:.3}", t.a.mark, t.b.mark);
            }
        }
    }

    #[test]
    fn any_two_runs_stay_apart_for_every_kind_of_sight() {
        for mode in MODES {
            let runs = Theme::of(mode).series;
            for (sight, matrix) in ["normal", "protan", "deutan", "tritan"].iter().zip(SIGHTS) {
                let seen = runs.map(|c| oklab(times(matrix, linear(c))));
                for i in 0..runs.len() {
                    for j in i + 1..runs.len() {
                        let gap = seen[i].iter().zip(seen[j]).map(|(a, b)| (a - b).powi(2));
                        let gap = gap.sum::<f64>().sqrt();
                        assert!(
                            gap > 0.09,
                            "{mode:?} {sight}: {} and {}: {gap:.3}",
                            runs[i],
                            runs[j]
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn ramps_are_monotone_in_luminance() {
        for mode in MODES {
            let theme = Theme::of(mode);
            let away: Vec<f64> = theme.ramp.iter().map(|&c| contrast(c, theme.page)).collect();
            assert!(away.is_sorted(), "{mode:?}: {away:?}");
        }
    }

    #[test]
    fn css_names_every_colour_once() {
        let css = css_variables(&Theme::of(Mode::Dark));
        assert!(css.starts_with("color-scheme:dark;--page:#0F1419;"), "{css}");
        assert!(css.contains("--on-accent:#0F1419;") && css.contains("--s8:#FECA21;"), "{css}");
        assert_eq!(css.matches("--").count(), 22 + 8 + 7 + 2 * 5);
    }
}
