"""What files tell about where and how they were made, taken out: to be given away."""
