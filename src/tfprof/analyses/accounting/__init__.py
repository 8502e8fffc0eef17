"""The original tool's accounting: nodes with costs, and the four ways to add them up."""
