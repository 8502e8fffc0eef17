"""One file a question: frozen dataclasses that hold the whole answer, with units and row keys."""
