"""What a checkpoint is worth: its tensors' roles and values, and what restoring it would do."""
