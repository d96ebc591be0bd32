"""WCC, the system of Amsterdam at CleanEval 2007."""
