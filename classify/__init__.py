"""`feature matrix -> labels`: models, their training and their evaluation."""
