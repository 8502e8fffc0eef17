"""What the events of a capture say about tf.data: who asks for an element, who makes it."""
