"""The one name for what TensorFlow and Keras hand over."""

from typing import Any, TypeAlias

# a graph, a function, a model, a variable, a session: TensorFlow tells no type checker what it has,
# and it is not there to be asked when we are checked
Live: TypeAlias = Any
