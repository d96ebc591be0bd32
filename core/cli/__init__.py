"""Command line of vclean, with one module per command in `commands`."""


def __getattr__(name: str) -> object:
    """Explain the failure of the command of another distribution, `vclean`, which imports `vclean.cli.cli`."""
    if name == "cli":
        raise SystemExit(
            "vclean: the distributions vclean and vclean-web are both installed, and overwrite each other: "
            "run `pip uninstall vclean vclean-web`, then `pip install` the one you want"
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
