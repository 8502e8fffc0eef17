"""The parts of the overview: cards, the verdict, what is about which section."""
