"""What is said to the profiler server of a running process: the fields that we fill in and read.

Written as in graph_messages.py. The options are those that a capture holds (run_messages.py). A
capture in a reply is taken as bytes: it goes into a file as it came.
"""

MESSAGES = """
ProfileRequest: 1 duration_ms uint64; 2 max_events uint64; 4 opts ProfileOptions; 5 repository_root string; 6 session_id string; 7 host_name string; 9 emit_xspace bool
ProfileResponse: 7 empty_trace bool; 8 xspace bytes
"""  # noqa: E501
