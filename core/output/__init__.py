"""Write a result: text, HTML, Markdown, JSON, explanations, overlays."""
