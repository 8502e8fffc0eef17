"""What the layers of Keras compute, by family: shapes, variables and work from their configs."""
