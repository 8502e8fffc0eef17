"""The page: results and columns packed into one HTML file that opens anywhere."""
