"""The methods by name: each labels the blocks of a page; one module for each system of the literature.

`get` gives a method, `all_facts` what is to be known of every one without loading it. How to add one is in
`vclean.classify.methods.base`.
"""

from __future__ import annotations

from vclean.classify.methods.base import Method, MethodInfo
from vclean.classify.methods.registry import all_facts, facts, get, names, ships

__all__ = ["Method", "MethodInfo", "all_facts", "facts", "get", "names", "ships"]
