"""Pages of several types, for tests of page types: HTML and URL of each."""

from __future__ import annotations

SENTENCE = "We repair boats, sails and engines in the old harbour, and our team answers every call within a day."


def collection(count=24):
    """Return a grid of products with filters, and its URL."""
    card = (
        '<li class="product-card"><a href="/products/{0}"><img src="/i/{0}.jpg"><h3>Oak shelf {0}</h3></a>'
        '<span class="price">$ {0}9.00</span><button class="add-to-cart">Add to cart</button></li>'
    )
    grid = "".join(card.format(number) for number in range(1, count + 1))
    filters = "".join(f'<label><input type="checkbox"> {name}</label>' for name in ("Oak", "Pine", "Beech"))
    html = f"""<html lang=en><title>Shelves - Shop furniture | Oakley</title><meta property="og:type" content="website">
    <body><nav><a href="/collections/chairs">Chairs</a> <a href="/cart">Cart</a></nav>
    <h1>Shelves</h1><div class="facets">Filter by {filters} Sort by <select><option>Price, low to high</select></div>
    <p>{count} products</p><ul class="product-grid">{grid}</ul></body>"""
    return html, "https://shop.example.com/collections/shelves"


def service():
    """Return a page that presents a service, and its URL."""
    features = "".join(
        f'<div class="feature"><h3>{name}</h3><p>{SENTENCE}</p><a class="cta" href="/quote">Get a free quote</a></div>'
        for name in ("Engines", "Sails", "Winter storage")
    )
    html = f"""<html lang=en><title>Boat Repair Services | Harbour & Sons</title><body>
    <nav><a href="/services">Services</a> <a href="/pricing">Pricing</a> <a href="/contact">Contact us</a></nav>
    <section class="hero"><h1>Boat repair services</h1><p>{SENTENCE}</p><a class="btn cta" href="/quote">Get a quote</a>
    </section><section class="features">{features}</section>
    <section class="testimonials"><h2>Testimonials</h2><blockquote>Our clients trust us.</blockquote></section>
    <section><h2>Why choose us</h2><p>30 years of experience. Call us for a free consultation.</p></section></body>"""
    return html, "https://harbour.example.com/services/boat-repair"


def home():
    """Return the front page of a site, and its URL."""
    news = "".join(f'<li><a href="/news/{n}">News {n} of the club</a></li>' for n in range(3))
    html = f"""<html lang=en><title>Welcome | Rowing Club Carrow</title><body>
    <nav><a href="/about">About us</a> <a href="/join">Join</a> <a href="/news">News</a></nav>
    <h1>Welcome to the Rowing Club Carrow</h1><p>{SENTENCE}</p><h2>Latest news</h2><ul>{news}</ul></body>"""
    return html, "https://rowing.example.org/"


def notice():
    """Return the notice of a missing page, and its URL."""
    html = """<html lang=en><title>404 Page not found</title><body><h1>Page not found</h1>
    <p>Sorry, the page you are looking for does not exist. Error 404.</p><a href="/">Home</a></body>"""
    return html, "https://example.org/old/page.cfm?id=77"


PAGES = {"collection": collection, "service": service, "home": home, "other": notice}
"""Functions that return pages, by page type."""
