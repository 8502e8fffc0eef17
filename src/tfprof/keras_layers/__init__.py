"""What Keras layers are made of: one rule a class, its variables and the ops that it runs."""
