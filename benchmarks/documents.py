"""Write the tables of features and of the shipped model to docs/reference/tables: `python benchmarks/documents.py`."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vclean.classify.content import stacking
from vclean.classify.content.model import load
from vclean.features import regions as region_columns
from vclean.features.block import linguistic, neighbourhood, structural, visual

if TYPE_CHECKING:
    from collections.abc import Iterable

    from vclean.features.columns import FeatureColumn

TABLES = Path(__file__).parent.parent / "docs" / "reference" / "tables"

_MODULES = {"linguistic": linguistic, "structural": structural, "visual": visual, "neighbourhood": neighbourhood}

GROUPS: dict[str, tuple[FeatureColumn, ...]] = {
    **{
        name: tuple(column for column in stacking.COLUMNS if column in module.COLUMNS)
        for name, module in _MODULES.items()
    },
    "linear models": stacking.SCORE_COLUMNS,
}
"""Features of a block by group."""

_NAMES = ("tag_", "aria_", "name_", "in_tag_", "in_aria_", "in_name_")

REGION_GROUPS: dict[str, tuple[FeatureColumn, ...]] = {
    "containers": tuple(each for each in region_columns.COLUMNS if not each.name.startswith(_NAMES)),
    "container names": tuple(each for each in region_columns.COLUMNS if each.name.startswith(_NAMES)),
}
"""Features of a container for the region model: first text, tree and box, then tags, ARIA roles and names."""

FEATURES_PAGE = "[Features](../features.md) explains how to read the table."
CARD_PAGE = "[The model](../../background/model.md) explains the figures."

_SCORES = {
    "word_f1": ("word F1", 3),
    "lcs_f1": ("LCS F1", 3),
    "lcs_f1_micro": ("LCS F1 micro", 3),
    "cleaneval": ("CleanEval text", 1),
    "cleaneval_markup": ("text+markup", 1),
    "must": ("must", 3),
    "must_not": ("must not", 3),
}


def _columns(columns: Iterable[FeatureColumn]) -> str:
    return table(("column", "unit", "meaning"), ((f"`{each.name}`", each.unit, each.doc) for each in columns))


def model_card() -> str:
    """Return the corpora, scores and parameters of the shipped model."""
    card = load().card
    corpora = ((name, counts["unrendered"], counts["rendered"]) for name, counts in card["corpora"].items())
    versions = ", ".join(f"{name} {version}" for name, version in card["versions"].items())
    regions = card["regions"].get("parameters")
    parameters = card["parameters"] | ({"regions": regions} if regions else {})
    facts = f"\nTrained {card['trained']}, seed {card['seed']}, with {versions}; {card['rows']:,} blocks.\n"
    return (
        f"{facts}\n## Pages\n\n{table(('corpus', 'read unrendered', 'read rendered'), corpora)}"
        f"\n## Scores in {card['folds']}-fold cross-validation by site\n\n{_scores(card['scores'])}"
        f"{_calibrations(card.get('calibration', {}))}"
        f"\n## Parameters\n\n{_parameters(parameters)}"
    )


def _scores(scores: dict[str, Any]) -> str:
    rows: list[tuple[object, ...]] = []
    for corpus, methods in scores.items():
        parts = dict.fromkeys(name for figures in methods.values() for name in figures["scores"])
        for part, (method, figures) in product(parts, methods.items()):
            values = figures["scores"][part]
            title = corpus if part == "all" else f"{corpus}: {part}"
            cells = (_cell(values[name], digits) for name, (_, digits) in _SCORES.items())
            rows.append((title, values["pages"], method.partition(", ")[2], *cells))
    return table(("corpus", "pages", "reading", *(title for title, _ in _SCORES.values())), rows)


def _calibrations(methods: dict[str, Any]) -> str:
    return "".join(
        f"\n## Calibration, {method.partition(', ')[2] or method}\n\n{_calibration(parts)}"
        for method, parts in methods.items()
    )


def _calibration(parts: dict[str, Any]) -> str:
    """Return a reliability table: a row for each of ten bins, then the calibration errors."""
    cells = ("count", "predicted", "observed")
    head = ("probability or confidence", *(f"{name}: {cell}" for name in parts for cell in cells))
    rows: dict[str, list[object]] = {f"{low / 10:.1f} to {low / 10 + 0.1:.1f}": [] for low in range(10)}
    for index, row in enumerate(rows.values()):
        for part in parts.values():
            bins = {min(int(each["predicted"] * 10), 9): each for each in part["bins"]}
            each = bins.get(index, {"count": 0, "predicted": None, "observed": None})
            row += [f"{each['count']:,}", _cell(each["predicted"], 3), _cell(each["observed"], 3)]
    errors = [
        (label, *(cell for part in parts.values() for cell in ("", "", _cell(part[key], 3))))
        for key, label in (("ece", "expected calibration error"), ("ece_equal_mass", "in bins of equal mass"))
    ]
    return table(head, [*((name, *row) for name, row in rows.items()), *errors])


def _cell(value: float | None, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"


def _parameters(parameters: dict[str, Any]) -> str:
    trees = {name: part for name, part in parameters.items() if isinstance(part, dict)}
    names = dict.fromkeys(name for part in trees.values() for name in part)
    return table(("parameter", *trees), ((name, *(part.get(name, "") for part in trees.values())) for name in names))


def table(head: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """Return a Markdown table."""
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in lines)


def page(title: str, explanation: str, tables: str) -> str:
    """Return a document: its title, a link to the index, a sentence with a link to its explanation, and its tables."""
    origin = "Written by `python benchmarks/documents.py`: do not edit."
    return f"# {title}\n\n[Documentation](../../index.md) · {explanation} {origin}\n{tables}"


def documents() -> dict[str, str]:
    """Return the text of every document that this script writes, by file name."""
    blocks = {f"Features of a block: {name}": columns for name, columns in GROUPS.items()}
    regions = {f"Features of a container: {name}": columns for name, columns in REGION_GROUPS.items()}
    pages = {
        f"features-{title.partition(': ')[2].replace(' ', '-')}.md": page(
            title, FEATURES_PAGE, f"\n{_columns(columns)}"
        )
        for title, columns in (blocks | regions).items()
    }
    return {**pages, "model.md": page("Card of the shipped model", CARD_PAGE, model_card())}


def main() -> None:
    """Write the documents."""
    for name, text in documents().items():
        (TABLES / name).write_text(text, encoding="utf-8")
        print(f"wrote {TABLES / name}")


if __name__ == "__main__":
    main()
