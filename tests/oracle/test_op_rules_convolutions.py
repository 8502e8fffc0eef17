"""Convolutions against TensorFlow's shape functions and kernels."""

from random import Random

import pytest
from op_oracle import Batch, Given, Node, check, run_on_ones, scratch_of, whole

from tfprof.model.dims import BATCH, symbol
from tfprof.ops.rule import Call, Tensor, rules

SEEDS = range(12)
SPATIAL = {"NHWC": (1, 2), "NCHW": (2, 3), "NDHWC": (1, 2, 3), "NCDHW": (2, 3, 4)}


def arranged(layout, batch, channels, spatial):
    sizes = iter(spatial)
    return [
        batch if letter == "N" else channels if letter == "C" else next(sizes) for letter in layout
    ]


class Setting:
    """A convolution at random: everything that its nodes are made of."""

    def __init__(self, seed, layouts, *, paddings=("SAME", "VALID", "EXPLICIT"), dilated=True):
        random = Random(seed)  # noqa: S311
        self.layout = random.choice(layouts)
        rank = len(self.layout) - 2
        self.batch = Batch(random.randint(2, 4))
        self.padding = random.choice(paddings)
        self.window = [random.randint(1, 3) for _ in range(rank)]
        rates = [random.choice([1, 1, 2]) if dilated else 1 for _ in range(rank)]
        if self.layout == "NCDHW":
            # TensorFlow's shape function takes the last two for each other here; kernels do not
            rates[2] = rates[1]
        steps = [1 if max(rates) > 1 else random.randint(1, 3) for _ in range(rank)]
        self.image = [random.randint(7, 11) for _ in range(rank)]
        self.read, self.made = random.choice([1, 2, 4]), random.choice([2, 4, 6])
        self.attributes = {
            "strides": arranged(self.layout, 1, 1, steps),
            "dilations": arranged(self.layout, 1, 1, rates),
            "padding": self.padding,
            "data_format": self.layout,
        }
        if self.padding == "EXPLICIT":
            borders = arranged(
                self.layout, [0, 0], [0, 0], [[random.randint(0, 2) for _ in "ab"] for _ in "hw"]
            )
            self.attributes["explicit_paddings"] = [size for pair in borders for size in pair]

    def input(self):
        return arranged(self.layout, self.batch, self.read, self.image)

    def filter(self, groups=1):
        return [*self.window, self.read // groups, self.made]

    def node(self, op, *inputs, **more):
        return Node(op, *inputs, **{**self.attributes, **more})

    def forward(self, op, kernel=None, **more):
        return self.node(op, Given(*self.input()), Given(*(kernel or self.filter())), **more)

    def output(self, op, kernel=None):
        """The shape of what the convolution makes, with its batch as it was given."""
        shape = check(self.forward(op, kernel)).call.outputs[0].shape
        return [self.batch, *shape[1:]]


TWO, THREE = ("NHWC", "NCHW"), ("NDHWC", "NCDHW")


@pytest.mark.parametrize("seed", SEEDS)
def test_images(seed):
    check(Setting(seed, TWO).forward("Conv2D"))


@pytest.mark.parametrize("seed", SEEDS)
def test_volumes(seed):
    check(Setting(seed, THREE, paddings=("SAME", "VALID")).forward("Conv3D"))


@pytest.mark.parametrize("seed", SEEDS)
def test_one_filter_a_channel(seed):
    setting = Setting(seed, TWO)
    check(setting.forward("DepthwiseConv2dNative"))


@pytest.mark.parametrize("seed", SEEDS)
def test_any_rank(seed):
    setting = Setting(seed, ("NHWC", "NDHWC"))
    setting.attributes["data_format"] = "CHANNELS_LAST"
    check(setting.forward("Conv"))


@pytest.mark.parametrize("batch_dims", [1, 2, 3])
@pytest.mark.parametrize("first", [False, True])
def test_several_dimensions_for_the_batch(batch_dims, first):
    before = [Batch(3), 2, 5][:batch_dims]
    strides = [1, 1, 2, 3] if first else [1, 2, 3, 1]
    image = [4, 9, 10] if first else [9, 10, 4]
    node = Node(
        "Conv", Given(*before, *image), Given(3, 2, 2, 6), strides=strides, padding="VALID",
        data_format="CHANNELS_FIRST" if first else "CHANNELS_LAST", batch_dims=batch_dims, groups=2,
    )  # fmt: skip
    checked = check(node)
    made = [6, 4, 3] if first else [4, 3, 6]
    assert checked.call.outputs[0].shape == (*before, *made)


def test_groups():
    setting = Setting(3, ("NHWC",))
    setting.read, setting.made = 6, 9
    checked = check(setting.forward("Conv2D", setting.filter(groups=3)))
    kernel = setting.window[0] * setting.window[1] * 2
    size = 1
    for entry in checked.call.outputs[0].shape:
        size *= entry
    assert checked.counted("macs") == size * kernel


# --- gradients


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("op", ["Conv2D", "DepthwiseConv2dNative"])
def test_gradients_of_images(seed, op):
    setting = Setting(seed, TWO)
    made, kernel = Given(*setting.output(op)), Given(*setting.filter())
    image = Given(*setting.input())
    forward = check(setting.forward(op)).counted("macs")
    by_value = [
        setting.node(f"{op}BackpropInput", whole(*setting.input()), kernel, made),
        setting.node(f"{op}BackpropFilter", image, whole(*setting.filter()), made),
    ]
    by_shape = [
        setting.node("Conv2DBackpropInputV2", image, kernel, made),
        setting.node("Conv2DBackpropFilterV2", image, kernel, made),
    ]
    for node in by_value + (by_shape if op == "Conv2D" else []):
        assert check(node).counted("macs") == forward


@pytest.mark.parametrize("seed", SEEDS)
def test_gradients_of_volumes(seed):
    setting = Setting(seed, THREE, paddings=("SAME", "VALID"))
    made, kernel = Given(*setting.output("Conv3D")), Given(*setting.filter())
    image = Given(*setting.input())
    forward = check(setting.forward("Conv3D")).counted("macs")
    nodes = [
        setting.node("Conv3DBackpropInputV2", whole(*setting.input()), kernel, made),
        setting.node("Conv3DBackpropFilterV2", image, whole(*setting.filter()), made),
    ]
    for node in nodes:
        assert check(node).counted("macs") == forward


def test_image_size_without_batch_and_channels():
    node = Node(
        "Conv2DBackpropInput", whole(8, 10), Given(3, 3, 5, 6), Given(Batch(4), 4, 5, 6),
        strides=[1, 2, 2, 1], padding="SAME",
    )  # fmt: skip
    assert check(node).call.outputs[0].shape == (4, 8, 10, 5)


def test_batch_of_an_image_size_that_is_not_known():
    sizes = Tensor((4,), 3, (None, 8, 10, 5))
    operation = Node(
        "Conv2DBackpropInput", whole(1, 8, 10, 5), Given(3, 3, 5, 6), Given(1, 4, 5, 6),
        strides=[1, 2, 2, 1], padding="SAME",
    ).built()  # fmt: skip
    made = Tensor((symbol(BATCH), 4, 5, 6), 1)
    call = Call(
        "node", "Conv2DBackpropInput", [sizes, Tensor((3, 3, 5, 6), 1), made],
        lambda: dict(operation.node_def.attr),
    )  # fmt: skip
    assert rules()[call.op].infer(call)[0].shape == (symbol(BATCH), 8, 10, 5)


def test_unknown_sizes_leave_the_rank():
    node = Node(
        "Conv2DBackpropFilter", Given(4, 8, 8, 2), Given(4, dtype="int32"), Given(4, 8, 8, 3),
        strides=[1, 1, 1, 1], padding="SAME",
    )  # fmt: skip
    assert check(node).call.outputs[0].shape == (None,) * 4


# --- products, counted by kernels that multiply ones with ones


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("op", ["Conv2D", "Conv3D", "DepthwiseConv2dNative"])
def test_products_of_ones_add_up_to_the_macs(seed, op):
    """Without borders every product is one; their sum is what the kernel really multiplied."""
    layouts = ("NDHWC",) if op == "Conv3D" else ("NHWC",)
    setting = Setting(seed, layouts, paddings=("VALID",), dilated=False)
    if op.startswith("Depthwise"):
        # the kernel takes one stride for both
        setting.attributes["strides"] = [1, 2, 2, 1]
    image, kernel = Given(*setting.input()), Given(*setting.filter())
    made = Given(*setting.output(op))
    version = "V2" if op == "Conv3D" else ""
    nodes = [
        setting.forward(op),
        setting.node(f"{op}BackpropInput{version}", whole(*setting.input()), kernel, made),
        setting.node(f"{op}BackpropFilter{version}", image, whole(*setting.filter()), made),
    ]
    for node in nodes:
        checked = check(node)
        (result,) = run_on_ones(checked.operation)
        assert checked.counted("macs") == int(result.sum())


@pytest.mark.parametrize("groups", [1, 2, 4])
def test_products_of_ones_in_groups(groups):
    node = Node(
        "Conv2D", Given(Batch(2), 6, 7, 8), Given(2, 3, 8 // groups, 12), strides=[1, 1, 1, 1],
        padding="VALID",
    )  # fmt: skip
    checked = check(node)
    assert checked.counted("macs") == int(run_on_ones(checked.operation)[0].sum())


# --- scratch, as the kernels of a CPU allocated it


@pytest.mark.parametrize(("batch", "size"), [(1, 6), (4, 6), (3, 20), (2, 60), (2, 130)])
def test_scratch_of_gradients(batch, size):
    image, made = [Batch(batch), size, size, 8], [Batch(batch), size, size, 16]
    facts = {"strides": [1, 1, 1, 1], "padding": "SAME"}
    kernel = (3, 3, 8, 16)
    for node in (
        Node("Conv2DBackpropFilter", Given(*image), whole(*kernel), Given(*made), **facts),
        Node("Conv2DBackpropInput", whole(*image), Given(*kernel), Given(*made), **facts),
    ):
        checked = check(node)
        assert checked.counted("scratch") == scratch_of(checked.operation)


@pytest.mark.parametrize("batch", [1, 3])
@pytest.mark.parametrize("size", [5, 12])
def test_scratch_of_gradients_of_volumes(batch, size):
    image, made = [batch, size, size, size, 4], Given(batch, size, size, size, 8)
    facts = {"strides": [1] * 5, "padding": "SAME"}
    node = Node("Conv3DBackpropInputV2", whole(*image), Given(3, 3, 3, 4, 8), made, **facts)
    checked = check(node)
    assert checked.counted("scratch") == scratch_of(checked.operation)


# --- what optimizers make


FUSED = [
    ("_FusedConv2D", "Conv2D", {"fused_ops": ["BiasAdd", "Relu"]}),
    ("_MklNativeFusedConv2D", "Conv2D", {"fused_ops": ["BiasAdd", "Elu"]}),
    ("_FusedDepthwiseConv2dNative", "DepthwiseConv2dNative", {"fused_ops": ["BiasAdd"]}),
    ("_MklNativeFusedDepthwiseConv2dNative", "DepthwiseConv2dNative", {"fused_ops": ["BiasAdd"]}),
    ("_FusedConv3D", "Conv3D", {"fused_ops": ["BiasAdd", "Relu"]}),
    ("_MklNativeFusedConv3D", "Conv3D", {"fused_ops": ["BiasAdd"]}),
]


@pytest.mark.parametrize(("op", "plain", "facts"), FUSED, ids=[row[0] for row in FUSED])
@pytest.mark.parametrize("seed", range(4))
def test_fused(op, plain, facts, seed):
    setting = Setting(seed, THREE if "3D" in op else TWO, paddings=("SAME", "VALID"))
    inputs = [Given(*setting.input()), Given(*setting.filter()), [Given(setting.made)]]
    if "FusedConv2D" in op:
        inputs.append([])
        facts = {**facts, "num_args": 1}
    if "Depthwise" in op:
        inputs[2] = [Given(setting.made * setting.read)]
    checked = check(setting.node(op, *inputs, **facts))
    unfused = check(setting.forward(plain))
    assert checked.call.outputs == unfused.call.outputs
    assert checked.counted("macs") == unfused.counted("macs")
    size = 1
    for entry in checked.call.outputs[0].shape:
        size *= entry
    assert checked.counted("work") == size * len(facts["fused_ops"])


def test_rates_of_volumes_with_channels_first():
    """TensorFlow infers 5 by 7 here, its kernels compute 7 by 5."""
    rates, image = [1, 1, 1, 1, 2], Given(Batch(2), 2, 9, 9, 9)
    facts = {"strides": [1] * 5, "dilations": rates, "padding": "VALID", "data_format": "NCDHW"}
    node = Node("Conv3D", image, Given(3, 3, 3, 2, 4), **facts)
    assert node.call(node.built()).outputs[0].shape == (2, 4, 7, 7, 5)


@pytest.mark.parametrize("seed", range(4))
def test_of_one_dnn(seed):
    setting = Setting(seed, TWO, paddings=("SAME", "VALID"))
    kernel, made = Given(*setting.filter()), Given(*setting.output("Conv2D"))
    image = Given(*setting.input())
    wide = Given(*setting.output("DepthwiseConv2dNative"))
    for node in (
        setting.forward("_MklNativeConv2D"),
        setting.forward("_MklNativeDepthwiseConv2dNative"),
        setting.node("_MklNativeConv2DBackpropInput", whole(*setting.input()), kernel, made),
        setting.node("_MklNativeConv2DBackpropFilter", image, whole(*setting.filter()), made),
        setting.node(
            "_MklNativeDepthwiseConv2dNativeBackpropInput", whole(*setting.input()), kernel, wide
        ),
        setting.node(
            "_MklNativeDepthwiseConv2dNativeBackpropFilter", image, whole(*setting.filter()), wide
        ),
        setting.node("_MklNativeConv2DWithBias", image, kernel, Given(setting.made)),
    ):
        check(node)


def test_bias_gradient_beside_the_filter_gradient():
    """TensorFlow infers the channels of the image for the bias: what it is added to has others."""
    node = Node(
        "_MklNativeConv2DBackpropFilterWithBias", Given(3, 8, 8, 2), whole(3, 3, 2, 5),
        Given(3, 8, 8, 5), strides=[1, 1, 1, 1], padding="SAME",
    )  # fmt: skip
    outputs = node.call(node.built()).outputs
    assert [one.shape for one in outputs] == [(3, 3, 2, 5), (5,)]


def test_borders_come_before():
    borders = Given(value=[[0, 0], [2, 1], [0, 3], [0, 0]])
    facts = {"strides": [1, 2, 2, 1], "padding": "VALID"}
    image, kernel = Given(Batch(3), 9, 9, 2), Given(3, 3, 2, 5)
    mode = {"mode": "REFLECT"}
    checked = check(Node("FusedPadConv2D", image, borders, kernel, **mode, **facts))
    assert checked.call.outputs[0].shape == (3, 5, 5, 5)
    # TensorFlow's shape function overlooks the borders of these
    for node in (
        Node("_MklNativePadWithConv2D", image, kernel, borders, **facts),
        Node(
            "_MklNativePadWithFusedConv2D", image, kernel, [Given(5)], borders,
            fused_ops=["BiasAdd"], **facts,
        ),
    ):  # fmt: skip
        assert node.call(node.built()).outputs[0].shape == (3, 5, 5, 5)
    checked = check(
        Node("FusedResizeAndPadConv2D", image, whole(20, 30), borders, kernel, **mode, **facts)
    )
    assert checked.call.outputs[0].shape == (3, 11, 16, 5)


# --- morphology


@pytest.mark.parametrize("seed", SEEDS)
def test_dilation(seed):
    setting = Setting(seed, ("NHWC",), paddings=("SAME", "VALID"))
    facts = {
        "strides": setting.attributes["strides"],
        "rates": setting.attributes["dilations"],
        "padding": setting.padding,
    }
    image, kernel = Given(*setting.input()), Given(*setting.window, setting.read)
    checked = check(Node("Dilation2D", image, kernel, **facts))
    made = Given(setting.batch, *checked.call.outputs[0].shape[1:])
    for op in ("Dilation2DBackpropInput", "Dilation2DBackpropFilter"):
        assert check(Node(op, image, kernel, made, **facts)).counted("work") == checked.counted(
            "work"
        )


# --- graphs that say too little


def test_unknown_rank_still_gives_the_channels():
    call = Call("node", "Conv2D", [Tensor(None, 1), Tensor((3, 3, 2, 7), 1)])
    assert rules()["Conv2D"].infer(call)[0].shape == (None, None, None, 7)


def test_strange_layouts_are_not_guessed():
    node = Node(
        "Conv2D", Given(1, 8, 8, 2), Given(3, 3, 2, 4), strides=[1, 1, 1, 1], padding="SAME"
    )
    attributes = dict(node.built().node_def.attr)
    attributes["data_format"].s = b"NCHW_VECT_C"
    call = Call("node", "Conv2D", [Tensor((1, 8, 8, 2), 1), Tensor((3, 3, 2, 4), 1)],
                lambda: attributes)  # fmt: skip
    assert rules()["Conv2D"].infer(call) == []
