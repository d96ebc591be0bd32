from __future__ import annotations

from vclean.labels import Role


class TestRole:
    def test_order_is_that_of_classes_in_model_files(self):
        assert [role.value for role in Role] == [
            "title", "article", "content", "navigation", "header", "footer", "sidebar", "ad", "form", "comments",
            "links", "table", "media", "logo", "author",
        ]  # fmt: skip

    def test_which_roles_are_content(self):
        content = {role.value for role in Role if role.is_content}
        assert content == {"title", "article", "content", "comments", "table", "author"}
