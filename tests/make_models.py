"""Makes the files in tests/models: `python tests/make_models.py`. Each is a model of a few layers.

Other tests make what Keras and TensorFlow write while they run. Goldens need the same bytes on
every machine, also where there is no TensorFlow.
"""

import shutil
from pathlib import Path

import keras
import made_by_tensorflow

TESTS = Path(__file__).parent
MODELS = TESTS / "models"


def residual():
    """Convolutions with a way around them, trained by Adam."""
    layers = keras.layers
    image = layers.Input((16, 16, 3), name="image")
    first = layers.Conv2D(4, 3, padding="same", activation="relu", name="stem")(image)
    inner = layers.Conv2D(4, 3, padding="same", use_bias=False, name="conv")(first)
    inner = layers.BatchNormalization(name="norm")(inner)
    joined = layers.Add(name="add")([first, inner])
    pooled = layers.GlobalAveragePooling2D(name="pool")(joined)
    model = keras.Model(image, layers.Dense(10, activation="softmax", name="classes")(pooled))
    model.compile("adam", "sparse_categorical_crossentropy")
    return model


def tagger():
    """Sequences of words, one layer after the other."""
    layers = keras.layers
    return keras.Sequential([
        layers.Input((None,), name="words"),
        layers.Embedding(50, 8, name="embedding"),
        layers.Bidirectional(layers.LSTM(6, return_sequences=True), name="both_ways"),
        layers.Dense(3, name="tags"),
    ])  # fmt: skip


def main():
    shutil.rmtree(MODELS, ignore_errors=True)
    MODELS.mkdir()
    keras.utils.set_random_seed(1)
    residual().save(MODELS / "residual.keras")
    residual().save(MODELS / "residual.h5")
    tagger().save(MODELS / "tagger.keras")
    made_by_tensorflow.tf1_saved_model(MODELS / "tf1_saved_model")
    tagger().export(MODELS / "tagger_saved_model", verbose=False)
    graph = (TESTS / "data/keras_mlp_train.graph.pb").read_bytes()
    run = (TESTS / "data/keras_mlp_train_b8_default.runmeta.pb").read_bytes()
    saved = made_by_tensorflow.profile_proto(graph, {3: run, 8: run})
    (MODELS / "profile_8").write_bytes(saved)


if __name__ == "__main__":
    main()
