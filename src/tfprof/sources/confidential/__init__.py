"""What a file tells about where and how it was made, taken out of it: for files that are given away."""
