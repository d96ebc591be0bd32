"""Web2Text (Vogels, Ganea and Eickhoff 2018)."""
