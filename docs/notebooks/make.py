"""Write and run the notebook of the documentation: `python docs/notebooks/make.py`.

Needs nbclient, ipykernel and the browser of `vclean setup`. The notebook runs in the root of the repository, so that
its outputs show no path of the machine.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import nbformat
from nbclient import NotebookClient

ROOT: Final = Path(__file__).parents[2]
NOTEBOOK: Final = Path(__file__).with_name("results.ipynb")
CELLS: Final = (
    "# Results in a notebook\n\n"
    "A result shows itself as a table of its blocks. With a screenshot, the overlay comes first.",
    "import vclean\n\nresult = vclean.clean_file('fixtures/product/page.html', render=True, screenshot=True)\nresult",
    "Blocks can be filtered by label, role and kind. The text of a selection is one attribute away.",
    "print(result.blocks.where(label='h').text)",
    "The reasons of a block say which features made it content.",
    "result = vclean.clean_file('fixtures/product/page.html', render=True, explain=True)\n"
    "for reason in result.content[1].reasons[:5]:\n    print(f'{reason.contribution:+.2f}  {reason.text}')",
    "Segments show their leaves.",
    "vclean.segment_file('fixtures/product/page.html', pdoc=6)",
)
"""Texts and programs in turn, beginning with a text."""


def main() -> None:
    """Write the notebook with its outputs."""
    notebook = nbformat.v4.new_notebook()
    makers = (nbformat.v4.new_markdown_cell, nbformat.v4.new_code_cell)
    notebook.cells = [makers[number % 2](source, id=f"cell-{number}") for number, source in enumerate(CELLS)]
    NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(ROOT)}}).execute()
    notebook.metadata = {"language_info": {"name": "python"}}
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":  # warnings depend on the machine
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
    NOTEBOOK.write_text(nbformat.writes(notebook) + "\n", "utf-8")


if __name__ == "__main__":
    main()
