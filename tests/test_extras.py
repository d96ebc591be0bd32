from __future__ import annotations

import json

import pytest

from vclean.errors import ExtraMissingError
from vclean.extras import need


class TestNeed:
    def test_the_module(self) -> None:
        assert need("json", "Ray") is json

    def test_a_module_that_is_not_there(self) -> None:
        with pytest.raises(ExtraMissingError) as caught:
            need("no_such_module_at_all", "Ray")
        assert str(caught.value).endswith(": pip install 'vclean[ray]'")
        assert caught.value.exit_code == 11

    def test_the_extra_may_be_called_otherwise(self) -> None:
        with pytest.raises(ExtraMissingError, match=r"this needs Alien .*: pip install 'vclean\[methods\]'"):
            need("no_such_module_at_all", "Alien", "methods")
