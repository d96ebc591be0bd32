"""`feature matrix -> labels`: the model, its training and its scores."""
