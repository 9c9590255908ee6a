"""Models: what is learned, as plain arrays and the evaluators that are made of them."""
