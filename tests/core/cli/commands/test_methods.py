from __future__ import annotations

import json

from vclean.classify.methods import MethodInfo, all_facts
from vclean.cli.commands.methods import to_json, to_lines
from vclean.cli.main import main


class TestToLines:
    def test_columns(self):
        methods = [
            MethodInfo(name="a", line="first", place="a"),
            MethodInfo(name="bcd", line="second", place="b", rendered=True, extra="methods"),
            MethodInfo(name="no-model", line="third", place="c", trained=True),
            MethodInfo(name="vclean", line="fourth", place="d", trained=True),
        ]
        assert to_lines(methods).splitlines() == [
            "a         -                             first",
            "bcd       rendering, the extra methods  second",
            "no-model  a model                       third",
            "vclean    a model (ships)               fourth",
        ]


class TestToJson:
    def test_what_each_needs(self):
        methods = [
            MethodInfo(name="a", line="first", place="a"),
            MethodInfo(name="b", line="c", place="d", trained=True),
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
        assert [line.split()[0] for line in lines] == [facts.name for facts in all_facts()]

    def test_as_json(self, capsys):
        assert main(["methods", "--json"]) == 0
        assert json.loads(capsys.readouterr().out)[0]["name"] == "vclean"
