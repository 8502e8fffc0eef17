"""Two sides of the same measurement: what differs, and what of that is more than noise."""
