"""Every question tfprof answers, once: shell, prompt, Python, pictures and help read it here."""
