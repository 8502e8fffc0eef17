"""The few shapes an answer can have. Renderers draw them; analyses never see them."""
