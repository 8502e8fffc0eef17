"""What to change: rules that look at results and say what is wrong, why, and what it costs."""
