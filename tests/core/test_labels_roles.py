from __future__ import annotations

from vclean.labels import REGION_ROLES, Role


class TestRole:
    def test_order_is_that_of_classes_in_model_files(self):
        assert [role.value for role in REGION_ROLES] == [
            "title", "article", "content", "navigation", "header", "footer", "sidebar", "ad", "form", "comments",
            "links", "table", "media", "logo", "author",
        ]  # fmt: skip

    def test_no_model_predicts_overlays(self):
        assert set(Role) - set(REGION_ROLES) == {Role.OVERLAY}

    def test_which_roles_are_content(self):
        content = {role.value for role in Role if role.is_content}
        assert content == {"title", "article", "content", "comments", "table", "author"}
