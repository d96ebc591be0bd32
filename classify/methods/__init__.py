"""Provide methods by name. Each labels the blocks of a page; each system of the literature has its own module.

`get` returns a method, and `all_method_infos` a description of each without loading it. To add a method, see
`vclean.classify.methods.base`.
"""

from __future__ import annotations

from vclean.classify.methods.base import Method, MethodInfo
from vclean.classify.methods.registry import all_method_infos, get, is_shipped, method_info, names

__all__ = ["Method", "MethodInfo", "all_method_infos", "get", "is_shipped", "method_info", "names"]
