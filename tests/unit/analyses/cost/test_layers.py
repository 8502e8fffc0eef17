"""Layers: which variables are whose."""

import tfprof
from tfprof.wire import dtypes
from tfprof.wire.schema import message_class


def written(path):
    """A dense layer whose variables are references, as a session has them, trained by Adam."""
    graph = message_class("GraphDef")()

    def node(name, op, *inputs, **attributes):
        made = graph.node.add(name=name, op=op)
        made.input.extend(inputs)
        for key, value in attributes.items():
            if isinstance(value, tuple):
                for size in value:
                    made.attr[key].shape.dim.add(size=size)
            else:
                made.attr[key].type = value

    def variable(name, *shape):
        node(name, "VariableV2", shape=shape, dtype=dtypes.FLOAT)
        node(f"{name}/read", "Identity", name, T=dtypes.FLOAT)

    node("x", "Placeholder", shape=(-1, 8), dtype=dtypes.FLOAT)
    for name in ("dense/w", "dense/w/Adam", "dense/w/Adam_1"):
        variable(name, 8, 4)
    node("dense/MatMul", "MatMul", "x", "dense/w/read", T=dtypes.FLOAT)
    node("tied/MatMul", "MatMul", "x", "dense/w/read", T=dtypes.FLOAT)
    node("dense/Relu", "Relu", "dense/MatMul", T=dtypes.FLOAT)
    node("tied/Relu", "Relu", "tied/MatMul", T=dtypes.FLOAT)
    for layer in ("dense", "tied"):
        node(f"gradients/{layer}/MatMul_grad/Mul", "Mul", f"{layer}/Relu", f"{layer}/Relu")
    node("gradients/AddN", "AddN", "gradients/dense/MatMul_grad/Mul",
         "gradients/tied/MatMul_grad/Mul", T=dtypes.FLOAT)  # fmt: skip
    scalars = []
    for name in ("one", "two", "rate", "first", "second", "small"):
        node(f"Adam/{name}", "Placeholder", dtype=dtypes.FLOAT)
        graph.node[-1].attr["shape"].shape.SetInParent()
        scalars.append(f"Adam/{name}")
    slots = ("dense/w", "dense/w/Adam", "dense/w/Adam_1")
    node("Adam/update_dense/w/ApplyAdam", "ApplyAdam", *slots, *scalars,
         "gradients/AddN", T=dtypes.FLOAT)  # fmt: skip
    # a sparse update reads its slots as a layer reads its variables
    node("Adam/update_dense/w/mul", "Mul", "dense/w/Adam/read", "Adam/first", T=dtypes.FLOAT)
    node("Adam/update_dense/w/Assign", "Assign", "dense/w/Adam", "Adam/update_dense/w/mul")
    path.write_bytes(graph.SerializeToString())
    return path


def test_a_variable_is_counted_once_and_slots_are_the_optimizers(tmp_path):
    profile = tfprof.load(written(tmp_path / "graph.pb"))
    rows = profile.layers().to_dict()["data"]["rows"]
    params = {row["layer"]: row["params"] for row in rows if row["params"]}
    assert params == {"dense": 32, "Adam": 64}
    whole = profile.summary().to_dict()["data"]["params"]
    assert (whole["trainable"], whole["optimizer"], whole["total"]) == (32, 64, 96)
