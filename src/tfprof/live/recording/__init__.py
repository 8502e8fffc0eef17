"""Recording a program that trains: which steps, with what, into which folder."""
