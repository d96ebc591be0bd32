"""`Model`: load and save the trained classifier, and label the blocks of a page.

A model file is a zip archive. `card.json` lists the training corpora, scores, seed, versions and feature columns.
`linear.npz` has the two linear models. `content.txt` and `types.txt` are boosted trees in LightGBM's text format.
`calibration.json` has the points of the calibration maps of blocks and pages. `regions.txt` is the region model, and
`convention.txt` has the trees that predict the convention of a page; these are optional.
"""

from __future__ import annotations

import hashlib
import io
import json
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify import model_file
from vclean.classify.content import confirmed as confirmed_pages
from vclean.classify.content import stacking
from vclean.classify.content.confirmed import ConfirmedPage, confirm_headline, override
from vclean.classify.content.expected_f import Calibration, CalibrationMap, assign_labels, best_selection
from vclean.classify.content.postprocess import (
    adjust_probability,
    block_groups,
    place_headline,
    place_subject,
    requested_kinds,
    smooth_groups,
)
from vclean.classify.content.stacking import Conventions, LinearModel, add_columns
from vclean.classify.forest import Forest
from vclean.classify.prediction import Decision, LazyList, Prediction
from vclean.errors import ModelError
from vclean.features import matrix
from vclean.labels import Role
from vclean.settings import Policy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from vclean.classify.content.site_evidence import SiteEvidence
    from vclean.classify.metadata import MetadataModel
    from vclean.features.blocks import BlockColumns
    from vclean.features.page_context import PageContext

FORMAT: Final = 4
"""Version of the file format."""
_SHIPPED: Final = "default.vclean"
_PARTS: Final = ("linear.npz", "content.txt", "types.txt", "calibration.json")
_REGIONS: Final = "regions.txt"
_CONVENTION: Final = "convention.txt"
_CONFIRMED: Final = "confirmed.json"
_METADATA: Final = "metadata.vclean"
_OPTIONAL: Final = (_REGIONS, _CONVENTION, _CONFIRMED, _METADATA)
CORRECTED: Final = "corrections"
"""Key in the card of a model that was trained further: see `vclean.labelling.retraining`."""


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """Trained classifier of blocks.

    Attributes:
        linear: the two linear models.
        content: boosted trees for the probability that a block is content.
        types: boosted trees for the probabilities of h, p, l and c of a content block.
        calibration: maps the probabilities of the content trees and the expected word F1 of a page to calibrated ones.
        card: description of the model: corpora, scores, seed, versions, columns.
        version: first 12 hexadecimal digits of the SHA-256 of weights and trees, without the card.
        regions: boosted trees for the role of a container; None if the model was trained without marked pages.
        conventions: conventions of corpora, and boosted trees for their probabilities on a page.
        confirmed: labels and parts of the pages of its corrections, which replace those of the model on these pages.
        metadata: the model of metadata, if corrections trained it further; None for the one of the package.
    """

    linear: LinearModel
    content: Forest
    types: Forest
    calibration: Calibration
    card: dict[str, Any]
    version: str = ""
    regions: Forest | None = None
    conventions: Conventions = field(default_factory=Conventions)
    confirmed: tuple[ConfirmedPage, ...] = ()
    metadata: MetadataModel | None = None

    def label(
        self, blocks: BlockColumns, *, evidence: SiteEvidence | None = None, policy: Policy | None = None
    ) -> Prediction:
        """Label the blocks of a page; for `evidence` and `policy` see `decide`."""
        features = matrix.extract(blocks)
        context, words = features.context, features.layout.tokens
        x = stacking.stack_columns(features, *self.linear.scores(features))
        policy = policy or Policy()
        prediction = self.decide(
            x,
            words,
            block_groups(blocks),
            alike=features.layout.alike,
            evidence=evidence,
            policy=policy,
            excluded=blocks.is_excluded(policy),
            find_kinds=partial(requested_kinds, policy, context, self.metadata),
        )
        confirmed, parts = confirmed_pages.find_annotations(self.confirmed, blocks)
        labels = override(prediction.labels, confirmed)
        labels, headline = place_headline(context, labels, policy)
        labels, subject, subject_blocks = place_subject(context, labels, policy)
        labels = override(labels, confirmed)
        return replace(
            prediction,
            labels=labels,
            roles=LazyList(partial(_block_roles, self.regions, context)) if self.regions and len(blocks) else [],
            headline=confirm_headline(headline, labels, confirmed, parts, blocks.text),
            subject=subject,
            subject_blocks=subject_blocks,
            context=context,
            metadata_model=self.metadata,
            confirmed=confirmed,
            parts=parts,
        )

    def decide(
        self,
        x: NDArray[np.float32],
        words: NDArray[np.float32],
        group: NDArray[np.int32],
        *,
        alike: NDArray[np.int32],
        evidence: SiteEvidence | None = None,
        policy: Policy | None = None,
        excluded: NDArray[np.bool_] | None = None,
        find_kinds: Callable[[NDArray[np.float32]], Mapping[str, NDArray[np.bool_]]] | None = None,
    ) -> Prediction:
        """Label the B blocks of a page from their feature matrix.

        Args:
            x: float32 (B, len(stacking.COLUMNS)), the feature matrix.
            words: float32 (B,), words per block.
            group: int32 (B,), group of each block: see `postprocess.block_groups`.
            alike: int32 (B,), the group of blocks with the same chain of tags and classes.
            evidence: evidence of the other pages of the site: log odds to add, and blocks to leave out.
            policy: what counts as content.
            excluded: bool (B,), the blocks that cannot be content: see `BlockColumns.is_excluded`.
            find_kinds: returns `requested_kinds` of the policy, given the probabilities of content.
        """
        policy = policy or Policy()
        if not len(x):
            return Prediction([], np.zeros(0, dtype=np.float32), 0.0, self.version)
        convention = self.conventions.columns(x, words, policy.convention)
        rows = add_columns(x, convention)
        # Trees that corrections added may change rows on which the earlier trees agree.
        of_trees = self.content.predict(rows, early_stop=CORRECTED not in self.card).astype(np.float32)
        probability, kinds, changes = adjust_probability(
            of_trees, words, alike, evidence, policy=policy, find_kinds=find_kinds
        )
        calibrated = self.calibration.blocks(probability)
        dropped = np.zeros(len(x), dtype=bool)
        if excluded is not None:
            dropped |= excluded
            words, probability = (np.where(excluded, 0, each).astype(np.float32) for each in (words, probability))
        selected, expected = best_selection(probability, words, policy.recall_weight)
        if evidence is not None:
            dropped |= evidence.repeated
        is_content = smooth_groups(selected, probability, words, group) & ~dropped
        labels = assign_labels(is_content, self.types.predict(x[is_content]).astype(np.float32))
        decision = Decision(x, convention, evidence, policy, selected, group, is_content, probability, kinds, changes)
        confidence = float(self.calibration.pages(np.array([expected]))[0])
        return Prediction(labels, calibrated, confidence, self.version, decision=decision)

    def to_bytes(self) -> bytes:
        """Return the content of the model file; equal models give equal bytes."""
        arrays, maps = io.BytesIO(), self.calibration
        np.savez_compressed(
            arrays,
            path=self.linear.path.astype(np.float16),
            word=self.linear.word.astype(np.float16),
            bias=np.array([self.linear.path_bias, self.linear.word_bias]),
        )
        members = {
            "card.json": json.dumps(self.card, indent=1, ensure_ascii=False).encode(),
            "linear.npz": arrays.getvalue(),
            "content.txt": self.content.text.encode(),
            "types.txt": self.types.text.encode(),
            "calibration.json": json.dumps([each.to_dict() for each in (maps.blocks, maps.pages)]).encode(),
        }
        if self.regions:
            members[_REGIONS] = self.regions.text.encode()
        if self.conventions.predictor:
            members[_CONVENTION] = self.conventions.predictor.text.encode()
        if self.confirmed:
            members[_CONFIRMED] = confirmed_pages.to_json(self.confirmed).encode()
        if self.metadata:
            members[_METADATA] = self.metadata.to_bytes()
        return model_file.pack(members)


def _block_roles(regions: Forest, context: PageContext) -> list[Role | None]:
    """Return the role of each block: `overlay` in overlays, elsewhere that of the nearest region."""
    from vclean.classify.regions import block_roles

    pairs = zip(block_roles(regions, context), context.blocks.in_overlay.tolist(), strict=True)
    return [Role.OVERLAY if in_overlay else role for role, in_overlay in pairs]


def load(path: Path | None = None) -> Model:
    """Load the model in the file `path`, or the model that ships with the package.

    Raises:
        ModelError: the file is missing, damaged, not a model, or from another version of vclean.
    """
    return model_file.load(from_bytes, path, _SHIPPED)


def from_bytes(data: bytes, name: str) -> Model:
    """Load a model from the content of its file; error messages call the file `name`.

    Raises:
        ModelError: the file is damaged, not a model, or from another version of vclean.
    """
    if_damaged = f"{name} is not a vclean model, or is damaged: train a model with `vclean train`"
    with model_file.opened(data, if_damaged) as (archive, card):
        if card["format"] != FORMAT or card["columns"] != [column.name for column in stacking.COLUMNS]:
            version = card["versions"]["vclean"]
            raise ModelError(
                f"{name} was trained with vclean {version}, whose models differ: train it again with `vclean train`"
            )
        parts = [archive.read(member) for member in _PARTS]
        optional = {name: archive.read(name) for name in archive.namelist() if name in _OPTIONAL}
        version = hashlib.sha256(b"".join([*parts, *optional.values()])).hexdigest()[:12]
        content, types = (Forest(text.decode()) for text in parts[1:3])
        calibration = Calibration(*map(CalibrationMap.from_dict, json.loads(parts[3])))
        confirmed = confirmed_pages.from_json(optional.get(_CONFIRMED, b'{"pages":[]}').decode())
        metadata = None
        if _METADATA in optional:
            from vclean.classify import metadata as metadata_model  # most models have none

            metadata = metadata_model.from_bytes(optional[_METADATA])
        regions, predictor = (
            Forest(optional[name].decode(), is_rare=True) if name in optional else None
            for name in (_REGIONS, _CONVENTION)
        )
        conventions = Conventions(tuple(card["conventions"]), predictor)
        return Model(
            _linear(parts[0]), content, types, calibration, card, version, regions, conventions, confirmed, metadata
        )


def _linear(data: bytes) -> LinearModel:
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        path_bias, word_bias = arrays["bias"].tolist()
        return LinearModel(arrays["path"].astype(np.float32), path_bias, arrays["word"].astype(np.float32), word_bias)
