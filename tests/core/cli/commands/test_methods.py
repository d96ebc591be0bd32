from __future__ import annotations

import json

from vclean.classify.methods import MethodInfo, all_method_infos
from vclean.cli.commands.methods import to_json, to_lines
from vclean.cli.main import main


class TestToLines:
    def test_columns(self):
        methods = [
            MethodInfo(name="a", summary="first", entry_point="a"),
            MethodInfo(name="bcd", summary="second", entry_point="b", rendered=True, extra="methods"),
            MethodInfo(name="no-model", summary="third", entry_point="c", trained=True),
            MethodInfo(name="vclean", summary="fourth", entry_point="d", trained=True),
        ]
        assert to_lines(methods).splitlines() == [
            "a         -                             first",
            "bcd       rendering, the extra methods  second",
            "no-model  a model                       third",
            "vclean    a model (ships)               fourth",
        ]


class TestToJson:
    def test_requirements(self):
        methods = [
            MethodInfo(name="a", summary="first", entry_point="a"),
            MethodInfo(name="b", summary="c", entry_point="d", trained=True),
        ]
        plain, trained = json.loads(to_json(methods))
        assert plain == {
            "name": "a", "description": "first", "rendered": False, "trained": False, "ships": None,
            "template": False, "extra": None,
        }  # fmt: skip
        assert (trained["trained"], trained["ships"]) == (True, False)


class TestListMethods:
    def test_every_method_has_a_line(self, capsys):
        assert main(["methods"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert [line.split()[0] for line in lines] == [facts.name for facts in all_method_infos()]

    def test_as_json(self, capsys):
        assert main(["methods", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)[0]["name"] == "vclean"
