"""`Model`: the trained classifier, its file, and how it labels the blocks of a page.

A model file is a zip archive: `card.json` (what it was trained on, with which scores, seed and versions, and the
columns it reads), `linear.npz` (the two linear models), `content.txt`, `types.txt` and `cuts.txt` (LightGBM's own text
format), `calibration.json` (points of a line), and `regions.txt`, the region model, where there is one.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify import model_file
from vclean.classify.content import stacking
from vclean.classify.content.expected_f import assign_labels, with_comments
from vclean.classify.content.linear import LinearModel
from vclean.classify.content.postprocess import among_comments, block_groups, join_continuations, predecessors, smooth
from vclean.classify.content.threshold import CalibrationMap, ThresholdModel, candidate_selections
from vclean.classify.model_file import DAMAGE, pack
from vclean.classify.prediction import Decision, Prediction
from vclean.classify.regions import model
from vclean.classify.trees.forest import Forest
from vclean.errors import ModelError
from vclean.features import matrix
from vclean.settings import Policy

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns

FORMAT: Final = 2
"""Version of the file's layout."""
_SHIPPED: Final = "default.vclean"
_PARTS: Final = ("linear.npz", "content.txt", "types.txt", "cuts.txt", "calibration.json")
_REGIONS: Final = "regions.txt"
CORRECTED: Final = "corrections"
"""What the card of a model that went on learning has besides: see `vclean.classify.training.incremental`."""


@dataclass(frozen=True, slots=True, eq=False)
class Model:
    """A trained classifier.

    Attributes:
        linear: the two linear models.
        content: boosted trees, probability that a block is content.
        types: boosted trees, probabilities of h, p, l and c for a block of content.
        threshold_model: selects the blocks that are kept.
        card: what the model is: corpora, scores, seed, versions, columns.
        version: the first digits of the SHA-256 of its weights and trees; the card does not count.
        regions: boosted trees, the role of a container; None for a model that learned from no marked pages.
    """

    linear: LinearModel
    content: Forest
    types: Forest
    threshold_model: ThresholdModel
    card: dict[str, Any]
    version: str = ""
    regions: Forest | None = None

    def label(
        self, blocks: BlockColumns, *, evidence: NDArray[np.float32] | None = None, policy: Policy | None = None
    ) -> Prediction:
        """Label the blocks of a page; for `evidence` and `policy` see `decide`."""
        features = matrix.extract(blocks)
        posterior = model.posterior(self.regions, features.region) if self.regions else None
        x = stacking.stack_columns(features, *self.linear.scores(features), posterior)
        regions, words = x[:, stacking.REGIONS], features.layout.tokens
        comments = among_comments(features.context, regions)
        found = self.decide(x, words, block_groups(blocks), comments, evidence=evidence, policy=policy)
        roles = stacking.block_roles(regions) if self.regions else []
        return replace(found, labels=join_continuations(found.labels, predecessors(blocks)), roles=roles)

    def decide(
        self,
        x: NDArray[np.float32],
        words: NDArray[np.float32],
        group: NDArray[np.int32],
        comments: NDArray[np.float32],
        *,
        evidence: NDArray[np.float32] | None = None,
        policy: Policy | None = None,
    ) -> Prediction:
        """Labels of the B blocks of a page.

        Args:
            x: float32 (B, len(stacking.COLUMNS)), the whole matrix.
            words: float32 (B,), words per block.
            group: int32 (B,), what is kept or dropped as a whole: see `postprocess.block_groups`.
            comments: float32 (B,), that a block is among readers' comments: see `comments.among_comments`.
            evidence: float32 (B,), what is known of the blocks beyond their page, added to their log odds.
            policy: what counts as content.
        """
        policy = policy or Policy()
        if not len(x):
            return Prediction([], np.zeros(0, dtype=np.float32), 0.0, self.version)
        probability = content_probability(self.content, x, whole=CORRECTED in self.card)
        if evidence is not None:
            from vclean.classify.content.site_evidence import with_evidence

            probability = with_evidence(probability, evidence)
        if policy.comments is not None:
            probability = with_comments(probability, comments, words, wanted=policy.comments)
        undecided = comments if policy.comments is None else np.zeros_like(comments)
        keep, confidence = self.threshold_model.keep(
            candidate_selections(x, probability, words, undecided, policy.recall_weight)
        )
        kept = smooth(keep, words, group)
        labels = assign_labels(kept, type_probability(self.types, x[kept]))
        decision = Decision(x, comments, evidence, policy, keep, group, kept)
        said = self.threshold_model.calibration(probability)
        return Prediction(labels, said, confidence, self.version, decision=decision)

    def to_bytes(self) -> bytes:
        """The model's file; the same model gives the same bytes."""
        arrays = io.BytesIO()
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
            "cuts.txt": self.threshold_model.forest.text.encode(),
            "calibration.json": json.dumps(self.threshold_model.calibration.to_dict()).encode(),
        }
        if self.regions:
            members[_REGIONS] = self.regions.text.encode()
        return pack(members)


def content_probability(trees: Forest, x: NDArray[np.float32], *, whole: bool = False) -> NDArray[np.float32]:
    """float32 (B,): that the rows `x` (B, len(stacking.COLUMNS)) are content, B at least 1, before calibration.

    `whole` takes all trees for all rows: the last ones may have learned what the others are surely wrong about.
    """
    return trees.predict(x, early_stop=not whole).astype(np.float32)


def type_probability(trees: Forest, x: NDArray[np.float32]) -> NDArray[np.float32]:
    """float32 (B, 4): the probabilities of h, p, l and c for the rows `x`, of which there may be none."""
    return trees.predict(x).astype(np.float32)


def load(path: Path | None = None) -> Model:
    """The model in the file `path`, or the one that ships with the package.

    Raises:
        ModelError: the file is missing, damaged, no model, or of another version of vclean.
    """
    return from_bytes(model_file.read(path), str(path)) if path else load_default()


@cache
def load_default() -> Model:
    """The model that ships with the package.

    Raises:
        ModelError: it is not there or damaged.
    """
    return from_bytes(model_file.shipped(_SHIPPED), "the shipped model")


def from_bytes(data: bytes, name: str) -> Model:
    """The model in `data`; `name` is what messages call it.

    Raises:
        ModelError: it is damaged, no model, or of another version of vclean.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            card = json.loads(archive.read("card.json"))
            _check(card, name)
            regions = [archive.read(_REGIONS)] if _REGIONS in archive.namelist() else []
            parts = [archive.read(member) for member in _PARTS] + regions
    except DAMAGE as error:
        raise _damaged(name) from error
    version = hashlib.sha256(b"".join(parts)).hexdigest()[:12]
    try:
        content, types, cuts, *rest = (Forest(text.decode()) for text in (*parts[1:4], *regions))
        threshold_model = ThresholdModel(cuts, CalibrationMap.from_dict(json.loads(parts[4])))
        return Model(_linear(parts[0]), content, types, threshold_model, card, version, *rest)
    except DAMAGE as error:
        raise _damaged(name) from error


def _damaged(name: str) -> ModelError:
    return ModelError(f"{name} is no vclean model, or a damaged one: train it with `vclean train`")


def _check(card: dict[str, Any], name: str) -> None:
    if card["format"] != FORMAT or card["columns"] != [column.name for column in stacking.COLUMNS]:
        raise ModelError(
            f"{name} was trained with vclean {card['versions']['vclean']}, whose features differ: "
            "train it again with `vclean train`"
        )


def _linear(data: bytes) -> LinearModel:
    with np.load(io.BytesIO(data), allow_pickle=False) as arrays:
        path_bias, word_bias = arrays["bias"].tolist()
        return LinearModel(arrays["path"].astype(np.float32), path_bias, arrays["word"].astype(np.float32), word_bias)
