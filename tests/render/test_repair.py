"""Sources with unclosed elements and comments; browser and parser read the same text of them."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.page import Page
from vclean.render import repair as repair_module
from vclean.render.browser.renderer import Renderer
from vclean.render.decode import source_text
from vclean.render.repair import Edit, SourceOffsets, apply_edits, find_edits
from vclean.render.snapshot import Snapshot
from vclean.render.static._tree import starts_in

BROKEN = {
    "iframe": "<p>One<iframe src='a' />{</iframe>}<p>Two",
    "unquoted": "<p>One<iframe src=a/>{</iframe>}<p>Two",
    "open iframe": "<p>One<iframe src='a'>{</iframe>}<p>Two",
    "capitals": "<P>One<IFRAME SRC='a'/>{</iframe>}<P>Two",
    "first of two": "<p>One<iframe/>{</iframe>}<p>Two<iframe></iframe>",
    "textarea": "<p>One<textarea rows=2 />{</textarea>}<p>Two",
    "open textarea": "<p>One<textarea>a {</textarea>}<p>Two",
    "title": "<title/>{</title>}<p>One<p>Two",
    "title before a title": "<title/>{</title>}<p>One<p>Two<svg><title>Logo</title></svg>",
    "script": "<p>One</p><script src='a'/>{</script>}<p>Two",
    "script before a script": "<p>One</p><script src='a'/>{</script>}<p>Two</p><script>x</script>",
    "script, comment, script": "<p>One</p><script src='a'/>{</script>} <!-- b --> <p>Two</p><script>x</script>",
    "style": "<p>One</p><style/>{</style>}<p>Two",
    "xmp": "<p>One</p><xmp/>{</xmp>}<p>Two",
    "select": "<p>One</p><select/>{</select>}<p>Two",
    "template": "<p>One</p><template/>{</template>}<p>Two",
    "noscript": "<p>One</p><noscript/>{</noscript>}<p>Two",
    "iframe in noscript": "<p>One</p><noscript><iframe src='a' />{</iframe>}</noscript><p>Two<iframe></iframe>",
    "open iframe in noscript": "<p>One</p><noscript><iframe src='a'>x{</iframe>}</noscript><p>Two",
    "comment in noscript": "<p>One</p><noscript><!-- x {-->}</noscript><p>Two</p><!-- y -->",
    "paragraph in noscript": "<p>One</p><noscript><p><b>x{</b></p>}</noscript><p>Two</p>",
    "open paragraph in noscript": "<p>One</p><noscript><p><b>x</b>{</p>}</noscript><p>Two</p>",
    "comment": "<p>One</p><!-- x >{-->}<p>Two",
    "comment with a wrong end": "<p>One</p><!-- x ->{-->}\n<p>Two",
    "comment before a tag": "<p>One</p><!-- x\n{-->}<p>Two",
}
"""Broken sources, with what is inserted in braces."""


def broken(kind: str) -> str:
    return re.sub("{.*?}", "", BROKEN[kind])


def mended(kind: str) -> str:
    return re.sub("[{}]", "", BROKEN[kind])


CORRECT = [
    "<p>One<p>Two",
    "<script src='a' /></script><p>One",
    "<iframe src='a' /></iframe><p>One",
    "<textarea />\n</textarea><p>One",
    "<script>x = '<iframe/><!--<textarea/>'</script><p>One",
    "<style>/* <iframe/> */</style><p>One",
    "<!-- <iframe/><noscript><p></noscript> --><p>One",
    "<a title='<iframe/>' id=\"<!--\">One</a>",
    "<svg><title/><style/><script/><select/></svg><p>One",
    "<svg><title>Logo</title></svg><math><mi/></math>",
    "<noscript><p>x</p><img src='a'><br/></noscript><p>One",
    "<noscript><iframe src='a'></iframe></noscript><p>One",
    "<noscript><noscript><img src='a'></noscript></noscript><p>One",
    "<head><noscript><link rel='stylesheet' href='a'/></noscript></head><noscript><body></noscript>",
    "<p>One<!----><!--><!--->Two",
    "<!-- a --!><p>One",
    "<![CDATA[<iframe/>]]><p>One",
    "<textarea><iframe/><title/></textarea><title>One</title>",
    "<plaintext><iframe/>",
    "<p>One<br/><hr/><img src='a'/><input type='text'/><div/><span/>",
    "<select><option/>One</select><template><p>One</template>",
    "it's 'one' and \"two\" = 'three'",
]


def repair(text: str) -> str:
    return apply_edits(text, find_edits(text))


def text_of(snapshot: Snapshot) -> str:
    return "".join("".join(snapshot.texts).split())


class TestRepair:
    @pytest.mark.parametrize("kind", BROKEN)
    def test_closes_what_has_no_end(self, kind: str) -> None:
        assert repair(broken(kind)) == mended(kind)

    @pytest.mark.parametrize("source", CORRECT)
    def test_changes_nothing_else(self, source: str) -> None:
        assert repair(source) == source

    @pytest.mark.parametrize("name", ["style", "select", "textarea", "noscript"])
    def test_content_of_self_closed_elements_is_content(self, name: str) -> None:
        # A browser ignores the slash, libxml2 would close the element.
        assert repair(f"<{name} id='a' />x</{name}>") == f"<{name} id='a'  >x</{name}>"

    def test_code_of_a_self_closed_script_is_code(self) -> None:
        code = """document.write("<script src='b'></scr" + "ipt>")"""
        assert repair(f"<script />{code}</script><p>One") == f"<script  >{code}</script><p>One"
        assert repair(f"<script /><!-- {code} //--></script>") == f"<script  ><!-- {code} //--></script>"

    @pytest.mark.parametrize("name", ["shadowrootmode", "shadowRootMode"])
    def test_closed_shadow_roots_are_opened(self, name: str) -> None:
        roots = f"<div><template {name}='{{}}'>One</template></div><div><template {name}=open>Two</template></div>"
        assert repair(roots.format("closed")) == roots.format("open")

    @given(
        st.text("<éiIfFrameNnoscTtexaliXmpE />"), st.sampled_from(["iframe", "NoScript", "xmp", "TEXTAREA", "style"])
    )
    def test_no_start_tag_is_overlooked(self, text: str, name: str) -> None:
        source = f"{text}<{name}/>{text}"
        assert {start.start() for start in repair_module._START.finditer(source)} <= set(starts_in(source.encode()))

    @given(st.lists(st.sampled_from([*map(broken, BROKEN), *CORRECT, "<", "'", '"', ">"])))
    def test_edits_are_in_order(self, sources: list[str]) -> None:
        text = "".join(sources)
        edits = find_edits(text)
        places = [place for edit in edits for place in (edit.start, edit.end)]
        assert places == sorted(places)


class TestBothReaders:
    @pytest.mark.browser
    def test_rendering_keeps_the_text(self, renderer: Renderer) -> None:
        for kind in BROKEN:
            text = text_of(renderer.render(Page(content=broken(kind))).snapshot)
            assert text.startswith("One"), kind
            assert "Two" in text, kind

    @pytest.mark.browser
    def test_rendering_with_scripts_keeps_the_text(self, scripting: Renderer) -> None:
        for kind in ("iframe", "iframe in noscript", "comment", "textarea"):
            text = text_of(scripting.render(Page(content=broken(kind))).snapshot)
            assert "Two" in text, kind


class TestSourceOffsets:
    @pytest.mark.parametrize("kind", BROKEN)
    def test_gives_offsets_in_the_source(self, kind: str) -> None:
        source, repaired = broken(kind), mended(kind)
        offsets = SourceOffsets(find_edits(source))
        for word in ("One", "Two"):
            assert offsets.of(repaired.lower().index(word.lower())) == source.lower().index(word.lower())

    @pytest.mark.parametrize("edits", [[], [Edit(3, 4, " ", "<style>")]])
    def test_equal_lengths_move_nothing(self, edits: list[Edit]) -> None:
        assert SourceOffsets(edits).of(10) == 10


def test_source_text_is_not_repaired() -> None:
    assert source_text(Page(content=b"<iframe/>Rain"), 100)[0] == "<iframe/>Rain"
