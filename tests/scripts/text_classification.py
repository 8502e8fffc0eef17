"""Text classification from raw strings: TextVectorization, tf.data, `fit`, then a model of strings."""

import random
import string

import keras
import tensorflow as tf
from keras import layers

keras.utils.set_random_seed(1337)
batch_size = 32
max_features = 500
embedding_dim = 32
sequence_length = 40

good = "bright warm funny clever moving honest sharp lovely".split()
bad = "dull cold flat clumsy boring fake noisy awful".split()
filler = "the a film story scene actor was with of and very quite rather this that".split()


def review(label):
    words = random.choices(filler, k=24) + random.choices(good if label else bad, k=6)
    random.shuffle(words)
    return " ".join(words) + random.choice(["!", ".", "<br />..."])


labels = [random.randint(0, 1) for _ in range(640)]
texts = [review(label) for label in labels]
raw = tf.data.Dataset.from_tensor_slices((texts, labels)).batch(batch_size)
raw_val_ds, raw_train_ds = raw.take(4), raw.skip(4)
print("Batches of training data:", raw_train_ds.cardinality().numpy())


def custom_standardization(input_data):
    stripped = tf.strings.regex_replace(tf.strings.lower(input_data), "<br />", " ")
    return tf.strings.regex_replace(stripped, f"[{string.punctuation}]", "")


vectorize_layer = layers.TextVectorization(
    standardize=custom_standardization,
    max_tokens=max_features,
    output_mode="int",
    output_sequence_length=sequence_length,
)
vectorize_layer.adapt(raw_train_ds.map(lambda x, y: x))
print("Vocabulary:", len(vectorize_layer.get_vocabulary()))


def vectorize_text(text, label):
    return vectorize_layer(tf.expand_dims(text, -1)), label


train_ds = raw_train_ds.map(vectorize_text).cache().prefetch(buffer_size=10)
val_ds = raw_val_ds.map(vectorize_text).cache().prefetch(buffer_size=10)

inputs = keras.Input(shape=(None,), dtype="int64")
x = layers.Embedding(max_features, embedding_dim)(inputs)
x = layers.Dropout(0.5)(x)
x = layers.Conv1D(64, 7, padding="valid", activation="relu", strides=3)(x)
x = layers.Conv1D(64, 7, padding="valid", activation="relu", strides=3)(x)
x = layers.GlobalMaxPooling1D()(x)
x = layers.Dense(64, activation="relu")(x)
predictions = layers.Dense(1, activation="sigmoid", name="predictions")(x)

model = keras.Model(inputs, predictions)
model.compile(loss="binary_crossentropy", optimizer="adam", metrics=["accuracy"])
model.fit(train_ds, validation_data=val_ds, epochs=3, verbose=2)

loss, accuracy = model.evaluate(val_ds, verbose=0)
print(f"held out: loss {loss:.3f} accuracy {accuracy:.3f}")
unseen = vectorize_layer(tf.constant([["a warm and funny film"], ["a dull film, boring"]]))
print("unseen:", [f"{value:.2f}" for value in model.predict(unseen, verbose=0)[:, 0]])
