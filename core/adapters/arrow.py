"""Clean the pages of Arrow tables: for Ray Data, Spark, Hugging Face datasets and other engines on Arrow.

The columns of the result are those of the farm (`vclean.farm.rows`), and a few more. One page gives one row, in the
order of the input; a page that fails gives a row with its error.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Self

from vclean.errors import UsageError
from vclean.imports import requires_extra
from vclean.labels import Label
from vclean.settings import CleanerSettings

with requires_extra("arrow", "pyarrow"):
    import pyarrow as pa

from vclean.adapters.documents import label_counts
from vclean.characters import replace_surrogates
from vclean.farm.rows import FATAL_ERRORS, Task, failed_outcome, result_row
from vclean.farm.rows import SCHEMA as FARM_SCHEMA
from vclean.input.tables import batch_pages, page_columns
from vclean.page import Page
from vclean.pipeline import Pipeline
from vclean.render.cache import KEY_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Unpack

    from vclean.page import Source
    from vclean.result import Result
    from vclean.settings import CleanerOptions

_RUN_COLUMNS: Final = frozenset(
    {"source", "record_id", "record_date", "key", "read_key", "attempts", "seconds", "segments"}
)
"""Columns of the farm that describe its run, or that it writes on request; not those of every page."""

LABELS: Final = pa.struct([(str(label), pa.int32()) for label in Label])

SCHEMA: Final = pa.schema(
    [
        *(field for field in FARM_SCHEMA if field.name not in _RUN_COLUMNS),
        pa.field("labels", LABELS),
        pa.field("markdown", pa.string()),
    ]
)
"""Columns that an `ArrowCleaner` can compute, described in `docs/guides/arrow.md`."""

_EXTRA: Final = ("build", "cleaneval", "blocks", "posts", "items", "product", "recipe", "markdown")
COLUMNS: Final = tuple(name for name in SCHEMA.names if name not in _EXTRA)
"""Default columns."""


class ArrowCleaner:
    r"""Cleaner of Arrow tables: a callable from a table of pages to a table of results, with one browser and one model.

    The browser and the model start with the first table, in the process that cleans it. A cleaner is picklable; its
    copy starts its own browser.

    Args:
        settings: the settings that determine the result of a page; the default settings if None.
        html, url, id: names of the input columns. `html` has bytes or text; the other columns may be missing.
        columns: names of the output columns, of `SCHEMA`.
        keep: input columns to copy to the output.
        options: fields of `CleanerSettings` that replace those of `settings`, such as `render=True`.

    Raises:
        UsageError: an option is wrong, or an output column does not exist or occurs twice.

    >>> cleaner = ArrowCleaner(method="text", columns=["text", "error"])
    >>> cleaner(pa.table({"html": ["<h1>Rain</h1><p>It rained.", ""]})).to_pylist()
    [{'text': 'Rain\n\nIt rained.\n', 'error': None}, {'text': None, 'error': 'NotHtmlError'}]
    """

    def __init__(
        self,
        settings: CleanerSettings | None = None,
        *,
        html: str = "html",
        url: str = "url",
        id: str = "id",  # noqa: A002 - the name of the column
        columns: Sequence[str] = COLUMNS,
        keep: Sequence[str] = (),
        **options: Unpack[CleanerOptions],
    ) -> None:
        self.settings = (settings or CleanerSettings()).replace(**options)
        self._inputs = {html: "html", url: "url", id: "id"}
        self._columns, self._keep = tuple(columns), tuple(keep)
        self._pipeline: Pipeline | None = None
        for name in self._columns:
            if name not in SCHEMA.names:
                raise UsageError(f"no output column {name!r}: choose one of {', '.join(SCHEMA.names)}")
        names = [*self._keep, *self._columns]
        if repeated := [name for name in names if names.count(name) > 1]:
            raise UsageError(f"the output has two columns {repeated[0]!r}: leave one out of keep or columns")
        self._schema = pa.schema(map(SCHEMA.field, self._columns))

    def __enter__(self) -> Self:
        """Return the cleaner; the browser starts with the first table."""
        return self

    def __exit__(self, *exception: object) -> None:
        """Close the browser."""
        self.close()

    def __del__(self) -> None:
        """Close the browser: engines delete their callables at the end of a run."""
        with suppress(Exception):  # the interpreter may be shutting down
            self.close()

    def __getstate__(self) -> dict[str, Any]:
        """Return the options without the browser."""
        return self.__dict__ | {"_pipeline": None}

    def __call__(self, table: pa.Table) -> pa.Table:
        """Clean the pages of a table.

        Args:
            table: one row for each page.

        Returns:
            One row for each page: the columns of `keep`, then those of `columns`.

        Raises:
            InputError: the table has no column with documents, or a column of `keep` is missing.
            VcleanError: an error that every page would repeat, such as a missing browser.
        """
        schema = self.output_schema(table.schema)
        batches = [self._clean_batch(batch, schema) for batch in table.to_batches()]
        return pa.Table.from_batches(batches, schema=schema)

    def map_batches(self, batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Clean the pages of a stream of batches; the browser is closed at its end. For Spark's `mapInArrow`.

        Args:
            batches: one row for each page.

        Yields:
            One batch for each batch; errors as for a call with a table.
        """
        with self:
            for batch in batches:
                yield self._clean_batch(batch, self.output_schema(batch.schema))

    def output_schema(self, schema: pa.Schema | None = None) -> pa.Schema:
        """Return the columns of the result.

        Args:
            schema: the columns of the input; needed for the types of the columns to keep.

        Raises:
            UsageError: a column of `keep` is missing.
        """
        missing = [name for name in self._keep if schema is None or schema.get_field_index(name) < 0]
        if missing:
            raise UsageError(f"no input column {missing[0]!r} to keep: name columns of the input table")
        copied = [schema.field(name) for name in self._keep] if schema is not None else []
        return pa.schema([*copied, *self._schema])

    def close(self) -> None:
        """Close the browser; the next table starts a new one."""
        pipeline, self._pipeline = self._pipeline, None
        if pipeline:
            pipeline.__exit__(None, None, None)

    def _clean_batch(self, batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
        names = [name for name in batch.schema.names if name in self._inputs]
        pages = batch.select(names).rename_columns([self._inputs[name] for name in names])
        pages = pages.select(page_columns(pages.schema, "the table"))
        sources = batch_pages(pages, self.settings.rendering.max_bytes, name="row")
        rows = list(map(self._clean_page, sources))
        columns = [column.combine_chunks() for column in pa.Table.from_batches(rows, self._schema).columns]
        return pa.RecordBatch.from_arrays([*(batch.column(name) for name in self._keep), *columns], schema=schema)

    def _clean_page(self, source: Source) -> pa.RecordBatch:
        """Return the row of a page with the output columns. The first page loads the model and prepares the browser."""
        task = Task(Page(id=source.id), "", bytes(KEY_BYTES))
        try:
            task = Task(source.read(), "", bytes(KEY_BYTES))
            self._pipeline = self._pipeline or Pipeline(self.settings).__enter__()
            result = self._pipeline.run(task.page)
            return self._select(result_row(result, task, {}), result)
        except FATAL_ERRORS:
            raise
        except Exception as error:  # a bug on one page must not end the job
            return self._select(failed_outcome(task, error).record, None)

    def _select(self, row: pa.RecordBatch, result: Result | None) -> pa.RecordBatch:
        markdown = replace_surrogates(result.to_markdown()) if result and "markdown" in self._columns else None
        extra = {"labels": result and label_counts(result), "markdown": markdown}
        arrays = [
            pa.array([extra[field.name]], field.type) if field.name in extra else row[field.name]
            for field in self._schema
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=self._schema)
