"""What only several hosts can tell: who is slow, who waits for whom, whose clock is off."""
