#!/usr/bin/env python3
# /// script
# dependencies = ["nox>=2025.2.9"]
# ///
"""Check, test, build and measure the code: `nox` runs the default sessions, `nox -l` lists all sessions."""

from __future__ import annotations

import shutil
from pathlib import Path

import nox

nox.needs_version = ">=2025.2.9"
nox.options.error_on_missing_interpreters = False
nox.options.default_venv_backend = "uv|virtualenv"  # uv installs in seconds what takes pip a minute

PYPROJECT = nox.project.load_toml("pyproject.toml")
PYTHONS = nox.project.python_versions(PYPROJECT)
TESTED = "corpora,farm,methods,parquet"
"""Extras that the tests need; tests of Ray and of web2text training need more."""

ALL = ("-m", "")
"""Option that runs slow tests too, which pyproject.toml leaves out."""

PARALLEL = ("-n", "auto", "--dist", "worksteal")
"""pytest-xdist options. They are not in pyproject.toml, because debuggers and `-s` need a single process.

`worksteal` moves runs of neighbouring tests. Few modules then create their browser or model in two processes.
"""


ADAPTERS = {
    "arrow": ("ray[data]", "datasets", "pyspark"),
    "datatrove": ("orjson",),  # for datatrove's writer of JSON lines
    "langchain": (),
    "llamaindex": (),
    "mcp": (),
    "scrapy": ("scrapy-playwright",),
}
"""Adapters, with the libraries that their tests need beside those of their extra."""

INSTALLERS = ("pip==23.2.1", "pip", "uv")
"""What the wheel is installed with: the pip that comes with Python 3.11, the current one, and uv."""


def wheel() -> Path:
    """Return the wheel that the session `build` made."""
    return next(Path("dist").glob("*.whl"))


def group(name: str) -> list[str]:
    """Return the requirements of a dependency group."""
    return nox.project.dependency_groups(PYPROJECT, name)


def run_tests(session: nox.Session, package: str, *requirements: str, options: tuple[str, ...] = ALL) -> None:
    """Install the package as a user does, install a browser, and run the tests."""
    session.install(package, *group("test"), *requirements)
    session.run("vclean", "setup")
    session.run("pytest", *PARALLEL, *options, *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check formatting and style."""
    session.install(*group("lint"))
    session.run("ruff", "format", "--check")
    session.run("ruff", "check")


@nox.session
def typecheck(session: nox.Session) -> None:
    """Check types. With an editable install, mypy sees the top folders as the package `vclean`."""
    session.install("-e", ".[corpora,farm,methods]", *group("typecheck"))
    session.run("mypy", *session.posargs)


@nox.session
def tests(session: nox.Session) -> None:
    """Run all tests, including browser and cluster tests, with the Python that runs nox."""
    run_tests(session, f".[{TESTED},ray]")


@nox.session(default=False)
def fast(session: nox.Session) -> None:
    """Run the tests without the slow ones, as plain `pytest` does, and property tests on fewer examples."""
    run_tests(session, f".[{TESTED},ray]", options=("--hypothesis-profile", "fast"))


@nox.session(python=PYTHONS, default=False)
def pythons(session: nox.Session) -> None:
    """Run the tests on every supported Python version that is installed."""
    run_tests(session, f".[{TESTED},ray]")


@nox.session(default=False, venv_backend="uv")
def lowest(session: nox.Session) -> None:
    """Run the tests of core and features without a browser, with the oldest dependencies that pyproject.toml allows.

    Dependencies of dependencies are new. `nox -s lowest -- tests` runs all tests that need no browser.
    """
    session.install("--resolution", "lowest-direct", f".[{TESTED}]", *group("test"))
    options = (*PARALLEL, "-m", "not slow and not browser", "--hypothesis-profile", "fast")
    session.run("pytest", *options, *(session.posargs or ("tests/core", "tests/features")))


@nox.session(default=False)
def web2text(session: nox.Session) -> None:
    """Run the tests of web2text, which is trained with PyTorch."""
    session.install(".[corpora,web2text]", *group("test"))
    session.run("pytest", *ALL, "tests/classify/methods/test_web2text.py", *session.posargs)


@nox.session(default=False)
@nox.parametrize("library", list(ADAPTERS), ids=list(ADAPTERS))
def adapters(session: nox.Session, library: str) -> None:
    """Run the tests of an adapter with the real library: `nox -s "adapters(arrow)"`."""
    session.install(f".[arrow,{library}]", *ADAPTERS[library], *group("test"))
    session.run("vclean", "setup")
    session.env["VCLEAN_TEST_ADAPTER"] = library
    tests = (f"tests/core/adapters/test_{library}.py", "tests/docs/test_programs.py")
    session.run("pytest", *ALL, *tests, "-k", library, *session.posargs)


@nox.session(default=False)
def build(session: nox.Session) -> None:
    """Build the source distribution and the wheel into dist/, check them, and install the wheel on every Python."""
    shutil.rmtree("dist", ignore_errors=True)
    session.install("build", "twine", "check-wheel-contents", "abi3audit")
    session.run("python", "-m", "build")
    session.run("twine", "check", "--strict", *map(str, Path("dist").iterdir()))
    session.run("check-wheel-contents", str(wheel()))
    session.run("abi3audit", "--strict", str(wheel()))
    for python in PYTHONS:
        for installer in INSTALLERS:
            session.notify(f"install-{python}(installer={installer!r})")


@nox.session(python=PYTHONS, default=False)
@nox.parametrize("installer", INSTALLERS)
def install(session: nox.Session, installer: str) -> None:
    """Install the wheel in dist/ as a user does, and run the first command of the README."""
    folder = Path(session.create_tmp()).resolve()
    python = folder / "venv/bin/python"
    session.run("python", "-m", "venv", "--clear", str(python.parents[1]))
    if installer == "uv":
        session.install("uv")
        session.run("uv", "pip", "install", "--quiet", "--python", str(python), str(wheel()))
    else:
        session.run(str(python), "-m", "pip", "install", "--quiet", installer, external=True)
        session.run(str(python), "-m", "pip", "install", "--quiet", str(wheel()), external=True)
    session.run(str(python), "-m", "vclean", "setup", external=True)
    overlay = folder / "overlay.png"
    command = (str(python), "-m", "vclean", "fixtures/news/page.html", "--render", "--overlay", str(overlay))
    text = session.run(*command, external=True, silent=True, stderr=None)
    if "<h>The last ferry on the Orrin" not in str(text) or not overlay.read_bytes().startswith(b"\x89PNG"):
        session.error("the installed wheel does not clean the page of the README")


@nox.session(default=False)
def docs(session: nox.Session) -> None:
    """Build the documentation site into build/site/, without the network; a broken link is an error."""
    session.install(".[farm]", *group("docs"))
    session.run("vclean", "setup")
    session.run("python", "docs/site/make.py", "build/docs")
    session.run("mkdocs", "build", *session.posargs)


@nox.session(default=False)
def gate(session: nox.Session) -> None:
    """Score the fixtures, and fail if the word F1 of one is more than .005 below benchmarks/gate.json."""
    session.install(".")
    session.run("vclean", "setup")
    session.run("python", "benchmarks/gate.py", *session.posargs)


@nox.session(default=False)
def bench(session: nox.Session) -> None:
    """Measure speed: `nox -s bench -- CORPUS.parquet [--json FILE]`. This session sets no time limits."""
    session.install(".[corpora,farm]", *group("bench"))
    session.run("vclean", "setup")
    session.run("python", "benchmarks/speed.py", *session.posargs)


@nox.session(default=False)
def leaderboard(session: nox.Session) -> None:
    """Compare vclean with other extractors: `nox -s leaderboard -- CORPUS.parquet... [--predictions FILE]`."""
    session.install(".[corpora,farm]", *group("bench"))
    session.run("python", "benchmarks/leaderboard.py", *session.posargs)


if __name__ == "__main__":
    nox.main()
