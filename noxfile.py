#!/usr/bin/env python3
# /// script
# dependencies = ["nox>=2025.2.9"]
# ///
"""What runs on the code: `nox` for the default sessions, `nox -l` for all of them."""

from __future__ import annotations

import shutil

import nox

nox.needs_version = ">=2025.2.9"
nox.options.error_on_missing_interpreters = False

PYPROJECT = nox.project.load_toml("pyproject.toml")
PYTHONS = nox.project.python_versions(PYPROJECT)


def group(name: str) -> list[str]:
    """Return the requirements of a dependency group."""
    return nox.project.dependency_groups(PYPROJECT, name)


def test(session: nox.Session, package: str, *requirements: str) -> None:
    """Install the package as a user would, give it a browser, and run the tests on it."""
    session.install(package, *group("test"), *requirements)
    session.run("vclean", "setup")
    session.run("pytest", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """Check format and style."""
    session.install(*group("lint"))
    session.run("ruff", "format", "--check")
    session.run("ruff", "check")


@nox.session
def typecheck(session: nox.Session) -> None:
    """Check types; the editable install lets mypy read the folders as the package they become."""
    session.install("-e", ".", *group("typecheck"))
    session.run("mypy", *session.posargs)


@nox.session
def tests(session: nox.Session) -> None:
    """Run the tests, in a real browser and on a cluster too, on the Python that runs nox."""
    test(session, ".[methods,ray]")


@nox.session(python=PYTHONS, default=False)
def pythons(session: nox.Session) -> None:
    """Run the tests on every Python version that is supported and installed."""
    test(session, ".[methods,ray]")


@nox.session(default=False)
def minimums(session: nox.Session) -> None:
    """Run the tests with the oldest dependencies that pyproject.toml allows."""
    oldest = [requirement.replace(">=", "==") for requirement in PYPROJECT["project"]["dependencies"]]
    test(session, ".", *oldest)


@nox.session(default=False)
def web2text(session: nox.Session) -> None:
    """Run the tests of the method that PyTorch trains, with PyTorch."""
    session.install(".[web2text]", *group("test"))
    modules = ("convolution", "convolution_training", "web2text", "web2text_columns")
    session.run("pytest", *(f"tests/test_method_{module}.py" for module in modules), *session.posargs)


@nox.session(default=False)
def build(session: nox.Session) -> None:
    """Build the source distribution and the wheel into dist/."""
    shutil.rmtree("dist", ignore_errors=True)
    session.install("build")
    session.run("python", "-m", "build")


@nox.session(default=False)
def bench(session: nox.Session) -> None:
    """Measure speed: `nox -s bench -- CORPUS.parquet [--json FILE]`; nothing is asserted about time."""
    session.install(".", *group("bench"))
    session.run("vclean", "setup")
    session.run("python", "benchmarks/speed.py", *session.posargs)


@nox.session(default=False)
def leaderboard(session: nox.Session) -> None:
    """Compare vclean with its rivals: `nox -s leaderboard -- CORPUS.parquet... [--predictions FILE]`."""
    session.install(".", *group("bench"))
    session.run("python", "benchmarks/leaderboard.py", *session.posargs)


if __name__ == "__main__":
    nox.main()
