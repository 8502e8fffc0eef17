"""The executions of a run in time: lanes, flows between them, memory, steps, the critical path."""
