"""Cannot even be loaded."""

raise RuntimeError("the weights are at home")
