"""The box and the looks of a region, and what stands beside it; NaN where the page was not rendered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features import tree
from vclean.features.columns import Column, ratio, table
from vclean.features.region_runs import IMAGES
from vclean.features.visual import luminance

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.columns import Values
    from vclean.features.region_runs import Runs
    from vclean.features.regions import Regions

LOOKS: Final = (
    "relative_font", "font_size", "relative_weight", "text_luminance", "contrast", "colour_share", "background_share",
    "centred", "underlined", "column_share", "width_share", "lines",
)  # fmt: skip
"""Columns of the blocks that only a rendered page has, of which a region has the mean over its words."""

_CELLS: Final = 64
"""Cells across and down of the grid that says how many words stand beside a region."""

BOX_COLUMNS: Final = (
    *table(
        """
x | share | Left edge, in page widths.
y | share | Top edge, in page heights.
y_px | CSS px | Top edge.
width | share | Width, in page widths.
height | share | Height, in page heights.
height_px | CSS px | Height.
width_px | CSS px | Width.
area | share | Area, in page areas.
aspect | ratio | Width over height.
bottom_distance | CSS px | From its bottom to the page's.
bottom_share | share | The same in page heights.
right_gap | share | From its right edge to the page's, in page widths.
centre_offset | share | From the page's middle to its own, in page widths, negative to the left.
above_fold | share | Share of its height within the first viewport.
width_of_around | share | Width over that of the region round it.
height_of_around | share | Height over that of the region round it.
area_of_around | share | Area over that of the region round it.
left_in_around | share | From the left edge of the region round it, in its widths.
right_in_around | share | To the right edge of the region round it, in its widths.
top_in_around | share | From the top edge of the region round it, in its heights.
bottom_in_around | share | To the bottom edge of the region round it, in its heights.
words_left | share | Words of the page beside it, to the left.
words_right | share | Words of the page beside it, to the right.
words_above | share | Words of the page above it.
words_below | share | Words of the page below it.
words_per_area | words | Words per 10,000 square px.
image_share | share | Area of images and films in it over its own, 1 at most.
background_luminance | share | Relative luminance of its background.
background_differs | share | Largest difference between the channels of its background and that of the region round it.
background_image | flag | It, or an element that holds the same blocks, has a background image.
border | flag | It, or an element that holds the same blocks, has a border.
floated | flag | It, or an element that holds the same blocks, floats.
inside_float | flag | An element round it floats.
fixed | flag | It, or an element round it, is fixed or sticky.
absolute | flag | It, or an element round it, is positioned absolutely.
no_bullets | flag | Its list items have no bullets.
page_height | CSS px | Height of the page.
rendered | flag | The page was rendered.
"""
    ),
    *(Column(f"mean_{name}", "mean", f"`{name}` of its blocks, mean over the words.") for name in LOOKS),
)


def compute(run: Runs) -> Values:
    """The columns of the box and the looks of regions, each (C,)."""
    if not run.rendered:
        return _unrendered(run)
    means = {f"mean_{name}": column for name, column in run.means(LOOKS).items()}
    return {**_box(run), **_in_around(run), **_beside(run), **_looks(run), **means}


def _unrendered(run: Runs) -> Values:
    blank = np.full(len(run.regions), np.nan, dtype=np.float32)
    values: Values = {column.name: blank for column in BOX_COLUMNS}
    values["rendered"] = np.zeros(len(run.regions), dtype=np.float32)
    return values


def _box(run: Runs) -> Values:
    snapshot = run.regions.snapshot
    x, y, width, height = snapshot.box[run.regions.node].T
    page_width, page_height = snapshot.width, max(snapshot.height, 1.0)
    fold = float(snapshot.settings["height"])
    return {
        "x": x / page_width,
        "y": y / page_height,
        "y_px": y,
        "width": width / page_width,
        "height": height / page_height,
        "height_px": height,
        "width_px": width,
        "area": width * height / (page_width * page_height),
        "aspect": ratio(width, height),
        "bottom_distance": page_height - y - height,
        "bottom_share": 1 - (y + height) / page_height,
        "right_gap": 1 - (x + width) / page_width,
        "centre_offset": (x + width / 2) / page_width - 0.5,
        "above_fold": ratio(np.clip(fold - y, 0, height), height),
        "page_height": np.full(len(x), page_height),
        "rendered": np.ones(len(x)),
    }


def _in_around(run: Runs) -> Values:
    box = run.regions.snapshot.box
    x, y, width, height = box[run.regions.node].T
    left, top, wide, high = box[run.regions.around].T
    return {
        "width_of_around": ratio(width, wide),
        "height_of_around": ratio(height, high),
        "area_of_around": ratio(width * height, wide * high),
        "left_in_around": ratio(x - left, wide),
        "right_in_around": ratio(left + wide - x - width, wide),
        "top_in_around": ratio(y - top, high),
        "bottom_in_around": ratio(top + high - y - height, high),
    }


def _beside(run: Runs) -> Values:
    """Words of the page beside, above and below the regions, from a grid of running sums over block centres."""
    view, snapshot = run.regions.view, run.regions.snapshot
    scale = np.array([snapshot.width, max(snapshot.height, 1.0)], dtype=np.float32)
    centre = (view.blocks.box[:, :2] + view.blocks.box[:, 2:] / 2) / scale
    seen = ~np.isnan(centre).any(axis=1)
    place = np.minimum(np.clip(centre[seen], 0, 1) * _CELLS, _CELLS - 1).astype(np.int64)
    cells = np.bincount(place[:, 0] * _CELLS + place[:, 1], run.words[seen], minlength=_CELLS**2)
    total = np.zeros((_CELLS + 1, _CELLS + 1))
    total[1:, 1:] = cells.reshape(_CELLS, _CELLS).cumsum(axis=0).cumsum(axis=1) / run.words.sum()
    box = snapshot.box[run.regions.node]
    low, high = _cell(box[:, :2] / scale), _cell((box[:, :2] + box[:, 2:]) / scale)
    left, top, right, bottom = low[:, 0], low[:, 1], high[:, 0], high[:, 1]
    area = box[:, 2] * box[:, 3]
    return {
        "words_left": total[left, bottom] - total[left, top],
        "words_right": total[-1, bottom] - total[-1, top] - total[right, bottom] + total[right, top],
        "words_above": total[-1, top],
        "words_below": total[-1, -1] - total[-1, bottom],
        "words_per_area": ratio(run.sum(run.words) * 10_000, area),
    }


def _cell(place: NDArray[np.float32]) -> NDArray[np.int64]:
    """int64: the line of the grid nearest to a place in page widths or heights; NaN is the first."""
    return np.rint(np.clip(np.nan_to_num(place), 0, 1) * _CELLS).astype(np.int64)


def _looks(run: Runs) -> Values:
    regions, snapshot = run.regions, run.regions.snapshot
    styles, style = snapshot.styles, snapshot.style
    behind = _backgrounds(regions)
    own, around = behind[regions.node], behind[regions.around]
    edge = sum(np.nan_to_num(styles.number(f"border-{side}-width")) for side in ("top", "bottom", "left"))
    floated = styles.is_in("float", ("left", "right"))[style]
    fixed = styles.is_in("position", ("fixed", "sticky"))[style]
    absolute = styles.is_in("position", ("absolute",))[style]
    plain = styles.is_in("list-style-type", ("none",))[style] & snapshot.is_tag(("li",))
    picture = ~styles.is_in("background-image", ("", "none"))[style]
    box = np.nan_to_num(snapshot.box)
    images = tree.subtree_sum(np.where(snapshot.is_tag(IMAGES), box[:, 2] * box[:, 3], 0), snapshot.end)
    return {
        "image_share": np.minimum(ratio(images[regions.node], (box[:, 2] * box[:, 3])[regions.node]), 1),
        "background_luminance": luminance(own),
        "background_differs": np.abs(own - around).max(axis=1) / 255,
        "background_image": run.any_in_chain(picture),
        "border": run.any_in_chain(np.asarray(edge)[style] > 0),
        "floated": run.any_in_chain(floated),
        "inside_float": tree.path_sum(floated, snapshot.end)[regions.around] > 0,
        "fixed": tree.path_sum(fixed, snapshot.end)[regions.node] > 0,
        "absolute": tree.path_sum(absolute, snapshot.end)[regions.node] > 0,
        "no_bullets": tree.subtree_sum(plain, snapshot.end)[regions.node] > 0,
    }


def _backgrounds(regions: Regions) -> NDArray[np.float32]:
    """float32 (N, 3): colour 0-255 of the nearest background that is more than half opaque; white without one."""
    snapshot = regions.snapshot
    colour = snapshot.styles.colour("background-color")[snapshot.style]
    painted = colour[:, 3] > 0.5
    behind = tree.nearest(painted, snapshot.parent)
    return np.where(painted[behind, None], colour[behind, :3], np.float32(255))
