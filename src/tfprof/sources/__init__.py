"""Files into the model. Nothing here needs TensorFlow."""
