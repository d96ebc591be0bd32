"""Installation of Chromium, libraries and fonts, and checks of the installation."""
