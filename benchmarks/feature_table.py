"""The tables of docs/features.md: `python benchmarks/feature_table.py` renews them from the columns' declarations."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from vclean.features import context, linguistic, structural, visual

if TYPE_CHECKING:
    from vclean.features.columns import Column

DOCUMENT = Path(__file__).parent.parent / "docs" / "features.md"
HEADING = "## Every column\n"
"""What stands below this line is renewed."""

GROUPS: dict[str, tuple[Column, ...]] = {
    "Linguistic": linguistic.COLUMNS,
    "Structural": structural.COLUMNS,
    "Visual": visual.COLUMNS,
    "Context": context.COLUMNS,
    "Verdicts of the linear models": context.SCORE_COLUMNS,
}
"""The groups in the order of the matrix."""


def tables() -> str:
    """A Markdown table for every group."""
    return "".join(f"\n### {name}\n\n{_table(columns)}" for name, columns in GROUPS.items())


def _table(columns: tuple[Column, ...]) -> str:
    rows = [f"| `{column.name}` | {column.unit} | {column.doc} |\n" for column in columns]
    return "| column | unit | meaning |\n|---|---|---|\n" + "".join(rows)


def main() -> None:
    """Write the tables into the document."""
    text = DOCUMENT.read_text(encoding="utf-8").partition(HEADING)[0]
    DOCUMENT.write_text(text + HEADING + tables(), encoding="utf-8")
    print(f"{sum(map(len, GROUPS.values()))} columns in {DOCUMENT}")


if __name__ == "__main__":
    main()
