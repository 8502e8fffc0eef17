"""Who was at work in the steps and who waited: devices, hosts, gaps, launches, stragglers."""
