"""What callers hand over and get back that no type of ours describes."""

from __future__ import annotations

from typing import Any

# a tf.Graph, a function, a Keras model, a message of any protobuf, bytes or a path
Live = Any
# a message whose class protobuf makes
Proto = Any
# GraphNodeProto or MultiGraphNodeProto: which of them a word in the call decides
Message = Any
# options as the original has them: texts, numbers, truths and lists, which callers may change
OptionDict = dict[str, Any]
