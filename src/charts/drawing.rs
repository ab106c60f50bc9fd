//! Every picture that a screen can show, file and question: one path for drawing, pointer, keys and export.

use super::draw::Chart;
use super::heat::Heat;
use super::hit::Hit;
use super::lanes::Lanes;
use super::overlay::crosshair;
use super::scene::{Rect, Scene, Shape, Size};
use super::spec::Spec;
use super::stream::Stream;
use super::theme::Theme;
use super::waterfall::Waterfall;
use serde::{Deserialize, Serialize};

/// A picture with marks that can be pointed at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Drawing {
    /// Series on two axes.
    Plot(Spec),
    /// Two numbers and the steps between them.
    Waterfall(Waterfall),
    /// One request under two rulers.
    Stream(Stream),
    /// A map over two quantities.
    Heat(Heat),
    /// A run request by request.
    Lanes(Lanes),
}

impl Default for Drawing {
    fn default() -> Self {
        Self::Plot(Spec::default())
    }
}

impl From<Spec> for Drawing {
    fn from(spec: Spec) -> Self {
        Self::Plot(spec)
    }
}

impl From<Waterfall> for Drawing {
    fn from(waterfall: Waterfall) -> Self {
        Self::Waterfall(waterfall)
    }
}

impl From<Stream> for Drawing {
    fn from(stream: Stream) -> Self {
        Self::Stream(stream)
    }
}

impl From<Heat> for Drawing {
    fn from(heat: Heat) -> Self {
        Self::Heat(heat)
    }
}

/// A ring in the colour of the focus around a mark that is a rectangle.
fn ring(ground: Rect, away: f64, size: Size, theme: &Theme) -> Scene {
    let (left, right) = (ground.left - away, ground.right + away);
    let (top, bottom) = (ground.top - away, ground.bottom + away);
    let path =
        [(left, top), (right, top), (right, bottom), (left, bottom), (left, top), (right, top)];
    let paint = theme.focus.into();
    let ring = Shape::Line { path: path.to_vec(), width: 2.0, dash: None, paint };
    Scene { size, shapes: vec![ring], unlabelled: Vec::new() }
}

impl From<Lanes> for Drawing {
    fn from(lanes: Lanes) -> Self {
        Self::Lanes(lanes)
    }
}

impl Drawing {
    fn chart(&self) -> &dyn Chart {
        match self {
            Self::Plot(spec) => spec,
            Self::Waterfall(waterfall) => waterfall,
            Self::Stream(stream) => stream,
            Self::Heat(heat) => heat,
            Self::Lanes(lanes) => lanes,
        }
    }

    /// Lays it out with the mark of a key brought forward, where that changes the picture itself.
    pub fn scene_at(&self, size: Size, theme: &Theme, key: Option<&str>) -> Scene {
        match self {
            Self::Stream(stream) => stream.scene_at(size, theme, key),
            other => other.chart().scene(size, theme),
        }
    }

    /// What lies over the picture while a mark is under the pointer, focused or pinned; nothing where
    /// [`Drawing::scene_at`] shows it.
    pub fn overlay(&self, size: Size, theme: &Theme, hit: Hit) -> Option<Scene> {
        match self {
            Self::Plot(spec) => Some(crosshair(spec, size, theme, hit)),
            Self::Waterfall(waterfall) => {
                let ground = waterfall.grounds(size).get(hit.point).copied()?;
                Some(ring(ground.bar, 3.0, size, theme))
            }
            Self::Heat(heat) => {
                let mut cells = heat.grounds(size);
                let own =
                    cells.find(|(row, column, ..)| (*row, *column) == (hit.series, hit.point));
                own.map(|(.., ground)| ring(ground, 1.0, size, theme))
            }
            Self::Lanes(lanes) => {
                let (_, own) = lanes.grounds(size).get(hit.point).copied()?;
                Some(ring(own, 3.0, size, theme))
            }
            Self::Stream(_) => None,
        }
    }

    /// The key of the mark that it brings forward of itself.
    pub fn own_key(&self) -> Option<&str> {
        match self {
            Self::Stream(stream) => Some(stream.events.get(stream.pinned?)?.key.as_str()),
            Self::Plot(_) | Self::Waterfall(_) | Self::Heat(_) | Self::Lanes(_) => None,
        }
    }

    /// Says whether where its marks are depends on which one is brought forward.
    pub fn has_pages(&self, size: Size) -> bool {
        matches!(self, Self::Stream(stream) if stream.has_pages(size))
    }

    /// Says whether the picture holds what a card beside the mark would say.
    pub fn shows_card(&self, size: Size) -> bool {
        matches!(self, Self::Stream(stream) if stream.shows_card(size))
    }

    /// Its sentences that stand under it.
    pub fn notes(&self) -> &[String] {
        match self {
            Self::Plot(spec) => &spec.notes,
            Self::Waterfall(waterfall) => &waterfall.notes,
            Self::Stream(stream) => &stream.notes,
            Self::Heat(heat) => &heat.notes,
            Self::Lanes(lanes) => &lanes.notes,
        }
    }
}

impl Chart for Drawing {
    fn title(&self) -> &str {
        self.chart().title()
    }
    fn stamp(&self) -> &str {
        self.chart().stamp()
    }
    fn summary(&self) -> &str {
        self.chart().summary()
    }
    fn scene(&self, size: Size, theme: &Theme) -> Scene {
        self.chart().scene(size, theme)
    }
    fn height(&self, width: f64) -> Option<f64> {
        self.chart().height(width)
    }
}
