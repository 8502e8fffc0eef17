"""From which share of its time on a program's waiting is worth a word; the shares are XProf's."""

MATTERS = 0.05
HIGHLY = 0.20
