"""Models that only a call turns into a graph: subclassed, unbuilt, layers, modules, functions."""

import keras
import pytest
import tensorflow as tf
import tf_keras

import tfprof
from tfprof.errors import UsageError

DENSE = 8 * 4 + 4 + 4 * 2 + 2


def _of(library):
    """A model of one's own: 8 numbers to 4 to 2."""

    class Own(library.Model):
        def __init__(self):
            super().__init__()
            self.hidden = library.layers.Dense(4, activation="relu")
            self.out = library.layers.Dense(2)

        def call(self, x):
            return self.out(self.hidden(x))

    return Own()


class Pair(keras.Model):
    def __init__(self):
        super().__init__()
        self.one = keras.layers.Dense(4)

    def call(self, left, right):
        return self.one(left) + self.one(right)


class Words(keras.Model):
    """Indices in, so whole numbers only."""

    def __init__(self):
        super().__init__()
        self.table = self.add_weight(shape=(50, 16), name="table")

    def call(self, ids):
        return tf.gather(self.table, ids) @ tf.ones([16, 3])


class Scaled(tf.Module):
    def __init__(self):
        super().__init__()
        self.kernel = tf.Variable(tf.ones([8, 4]))
        self.step = tf.Variable(0.0, trainable=False)

    def __call__(self, x):
        return x @ self.kernel


class Signed(Scaled):
    @tf.function(input_signature=[tf.TensorSpec([None, 8])])
    def __call__(self, x):
        return x @ self.kernel


def _sequential():
    return keras.Sequential(
        [keras.layers.Conv2D(4, 3), keras.layers.Flatten(), keras.layers.Dense(2)]
    )


@pytest.mark.parametrize("library", [keras, tf_keras], ids=["keras", "tf_keras"])
def test_a_subclassed_model_that_was_called_is_traced_as_it_was_called(library):
    model = _of(library)
    model(tf.ones([3, 8]))
    assert str(tfprof.flops(model)) == f"{2 * (8 * 4 + 4 * 2)}*B"
    assert tfprof.flops(model, 10) == 10 * 2 * (8 * 4 + 4 * 2)
    assert tfprof.parameter_count(model) == DENSE == model.count_params()


def test_a_model_that_takes_whole_numbers_is_traced_with_them():
    model = Words()
    model(tf.ones([3, 7], tf.int32))
    assert tfprof.flops(model, 5) == 2 * 5 * 7 * 16 * 3


@pytest.mark.parametrize("library", [keras, tf_keras], ids=["keras", "tf_keras"])
def test_a_built_layer_is_a_model_too(library):
    layer = library.layers.Dense(4)
    layer.build((None, 8))
    assert str(tfprof.flops(layer)) == "64*B"
    assert tfprof.parameter_count(layer) == 36


@pytest.mark.parametrize(
    "given",
    [
        {"input_shape": (None, 8, 8, 1)},
        {"input_shape": ("B", 8, 8, 1)},
        {"input_shape": tf.TensorSpec([None, 8, 8, 1])},
        {"feeds": {"image": ("B", 8, 8, 1)}},
    ],
    ids=str,
)
def test_an_unbuilt_sequential_is_told_its_input_and_stays_unbuilt(given):
    model = _sequential()
    assert tfprof.parameter_count(model, **given) == 9 * 4 + 4 + 6 * 6 * 4 * 2 + 2
    assert str(tfprof.flops(model, **given)) == f"{2 * (6 * 6 * 9 * 4 + 6 * 6 * 4 * 2)}*B"
    assert tfprof.peak_memory(model, 2, **given)["/cpu:0"] > 0
    assert not model.built


def test_a_feed_that_a_model_is_traced_with_may_leave_more_open_than_the_batch():
    model = keras.Sequential([keras.layers.Conv2D(4, 3)])
    formula = tfprof.flops(model, feeds={"image": ("B", "H", 8, 1)})
    assert formula.at({"B": 2, "H": 8}) == 2 * 2 * 6 * 6 * 9 * 4


def test_an_open_size_of_a_feed_is_the_batch_or_has_a_letter():
    assert str(tfprof.flops(_of(keras), feeds={"x": (None, 8)})) == "80*B"
    with pytest.raises(UsageError, match="size 2 of feed image is None") as raised:
        tfprof.flops(
            keras.Sequential([keras.layers.Conv2D(4, 3)]), feeds={"image": (None,) * 3 + (1,)}
        )
    assert "letter" in raised.value.hint


@pytest.mark.parametrize("make", [_sequential, lambda: _of(keras), lambda: _of(tf_keras)])
@pytest.mark.parametrize("ask", [tfprof.flops, tfprof.parameter_count])
def test_without_inputs_an_error_names_what_to_give(make, ask):
    with pytest.raises(UsageError, match=r"inputs yet|not built yet") as raised:
        ask(make())
    assert "input_shape=" in raised.value.hint


def test_a_subclassed_model_that_was_never_called_is_told_its_input():
    assert str(tfprof.flops(_of(keras), input_shape=(None, 8))) == "80*B"
    assert tfprof.parameter_count(_of(keras), input_shape=(None, 8)) == DENSE


@pytest.mark.parametrize(
    "shapes", [{"left": (None, 8), "right": (None, 8)}, {"left": ("B", 8), "right": ("B", 8)}]
)
def test_several_inputs_are_told_by_name(shapes):
    assert str(tfprof.flops(Pair(), feeds=shapes)) == "128*B"
    assert str(tfprof.flops(Pair(), input_shape=shapes)) == "128*B"


def test_several_inputs_are_told_as_a_list():
    joined = keras.Sequential([keras.layers.Concatenate(), keras.layers.Dense(2)])
    assert str(tfprof.flops(joined, input_shape=[(None, 3), (None, 4)])) == "28*B"


def test_shapes_that_do_not_fit_are_refused_with_the_reason():
    with pytest.raises(UsageError, match=r"cannot be called with \(28, 28, 1\)") as raised:
        tfprof.flops(_sequential(), input_shape=(28, 28, 1))
    assert "the batch first" in raised.value.hint


def test_a_module_with_a_signature_needs_nothing():
    assert str(tfprof.flops(Signed())) == "64*B"


def test_a_module_counts_its_variables_and_is_traced_with_the_shape_given():
    module = Scaled()
    assert tfprof.parameter_count(module) == 32
    assert tfprof.parameter_count(module, which="model") == 33
    assert str(tfprof.flops(module, input_shape=(None, 8))) == "64*B"
    with pytest.raises(UsageError, match=r"tf\.Module Scaled does not know its inputs"):
        tfprof.flops(module)


def test_a_module_without_variables_is_not_a_model_of_nothing():
    with pytest.raises(UsageError, match="no variables yet"):
        tfprof.parameter_count(tf.Module())
    with pytest.raises(UsageError, match="no __call__"):
        tfprof.flops(tf.Module())


def test_a_function_is_traced_with_the_shape_given():
    kernel = tf.Variable(tf.ones([8, 4]))
    function = tf.function(lambda x: x @ kernel)
    assert str(tfprof.flops(function, input_shape=(None, 8))) == "64*B"
    assert str(tfprof.flops(function)) == "64*B"  # it has one trace now


def test_a_functional_model_may_be_asked_about_another_shape():
    image = keras.Input((None, None, 1), name="image")
    model = keras.Model(image, keras.layers.Conv2D(4, 3)(image))
    assert tfprof.flops(model, input_shape=(2, 8, 8, 1)) == 2 * 2 * 6 * 6 * 9 * 4


def test_the_originals_calls_take_them_too():
    model = _of(keras)
    model(tf.ones([3, 8]))
    options = tfprof.ProfileOptionBuilder(
        tfprof.ProfileOptionBuilder.trainable_variables_parameter()
    )
    root = tfprof.profile(model, options=options.with_empty_output().build())
    assert root.total_parameters == DENSE
