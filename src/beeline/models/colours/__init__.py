"""Linear scores of Weisfeiler-Leman colours: the models that `beeline learn` makes."""
