"""Names in a tree of scopes: every node once, nothing too wide, sums that add up."""

import random

import numpy as np
import pytest

from tfprof.analyses.graph.scope_tree import CROWDED, GROUP, MOST, NODE, SCOPE, scope_tree


def _name(tree, row):
    parts = []
    while row > 0:
        if tree.kind[row] != GROUP:
            parts.append(tree.labels[row])
        row = int(tree.parent[row])
    return "/".join(reversed(parts))


def _random_names(seed):
    rng = random.Random(seed)  # noqa: S311
    words = ["layer", "conv", "bn", "Const", "read", "", "a/b"]
    parts = [[f"{rng.choice(words)}_{rng.randrange(200)}" for _ in range(rng.randrange(1, 5))]
             for _ in range(rng.randrange(1, 900))]  # fmt: skip
    return list(dict.fromkeys("/".join(one) for one in parts))


@pytest.mark.parametrize("seed", range(20))
def test_every_node_is_there_once_under_its_name_and_no_place_is_too_wide(seed):
    names = _random_names(seed)
    tree = scope_tree(names, ["Op"] * len(names))
    leaves = np.flatnonzero(tree.kind == NODE)
    assert sorted(tree.node[leaves].tolist()) == list(range(len(names)))
    scopes = {name.rsplit("/", at)[0] for name in names for at in range(1, name.count("/") + 1)}
    for row in leaves.tolist():
        name = names[tree.node[row]]
        own = f"{name}/({name.rpartition('/')[2]})" if name in scopes else name
        assert _name(tree, row) == own
    assert np.bincount(tree.parent[1:]).max() <= MOST
    # preorder: a parent stands before, and what is in it without a gap
    assert (tree.parent[1:] < np.arange(1, len(tree))).all()


@pytest.mark.parametrize("seed", range(5))
def test_sums_are_those_of_the_nodes_inside(seed):
    names = _random_names(seed)
    tree = scope_tree(names, ["Op"] * len(names))
    values = np.random.default_rng(seed).integers(0, 1000, len(names)).astype(float)
    total = tree.summed(values)
    assert total[0] == values.sum()
    for row in np.flatnonzero(tree.kind == SCOPE).tolist()[1:50]:
        prefix = _name(tree, row) + "/"
        mine = [v for n, v in zip(names, values, strict=True) if (n + "/").startswith(prefix)]
        assert total[row] == sum(mine)


def test_a_series_is_folded_and_says_its_numbers():
    names = [f"tower/layer_{at}/{what}" for at in range(48) for what in ("kernel", "bias")]
    names += ["tower/x", "other"]
    tree = scope_tree(names, ["VariableV2"] * len(names))
    groups = [tree.labels[row] for row in np.flatnonzero(tree.kind == GROUP)]
    assert groups == ["layer_0…47"]


def test_few_are_not_folded():
    names = [f"layer_{at}/kernel" for at in range(CROWDED)]
    assert not (scope_tree(names, ["A"] * len(names)).kind == GROUP).any()


def test_nodes_of_one_type_are_folded_where_names_do_not_tell():
    ops = ["Const"] * 40 + ["Add"] * 40
    names = [f"{op}{'x' * at}" for at, op in enumerate(ops)]
    tree = scope_tree(names, ops)
    assert [tree.labels[row] for row in np.flatnonzero(tree.parent == 0)] == ["Const", "Add"]


def test_a_name_of_very_many_scopes_is_cut_off_not_lost():
    names = ["/".join("a" * 100_000), "b"]
    tree = scope_tree(names, ["A", "B"])
    assert _name(tree, int(tree.row_of[0])) == names[0]
    assert tree.depth.max() < 50


@pytest.mark.parametrize("names", [[], [""], ["/"], ["a", "/a"], ["a", "a/"], ["a//b", "a"]])
def test_odd_names(names):
    tree = scope_tree(names, ["X"] * len(names))
    assert (tree.kind == NODE).sum() == len(names)
