"""A folder a question: what is asked, the analyses called, the result; and its views."""
