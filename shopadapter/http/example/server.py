"""A whole shop for pubsync's adapter `http`, in Python's standard library alone: products in one SQLite file.

    SHOP_TOKEN=secret python3 server.py 8090 shop.db
"""

import hmac
import html
import json
import os
import sqlite3
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from urllib.parse import parse_qs, unquote, urlsplit

port = int(sys.argv[1]) if len(sys.argv) > 1 else 8090
file = sys.argv[2] if len(sys.argv) > 2 else "shop.db"
bearer = "Bearer " + os.environ["SHOP_TOKEN"] if os.environ.get("SHOP_TOKEN") else ""

db = sqlite3.connect(file, check_same_thread=False)
db.execute("PRAGMA journal_mode = WAL")
db.execute("PRAGMA synchronous = FULL")  # what is answered has reached the disk
db.execute("CREATE TABLE IF NOT EXISTS product (number INTEGER PRIMARY KEY AUTOINCREMENT, publication TEXT UNIQUE, on_sale INTEGER, body TEXT)")
db.execute("CREATE TABLE IF NOT EXISTS deleted_by_hand (publication TEXT PRIMARY KEY)")
lock = Lock()  # one request writes at a time, so a put that overlaps its own repetition finds what the first one made


def address(number):
    return f"http://127.0.0.1:{port}/p/{number}"


OF_PRODUCT = {"title": ["title"], "description": ["description", "translations"], "images": ["images"], "category": ["category"], "variants": ["options"], "shipping": ["shipping", "returns"], "brand": ["brand"]}
DETAILS = ["weight", "length", "width", "height", "diameter", "volume", "origin", "leadTime", "availableAt", "tags", "materials", "caseQuantity"]
OF_VARIANT = {"variants": ["title", "sku", "ean", "options"], "price": ["price", "cost", "msrp"], "stock": ["quantity", "backorders"], "details": DETAILS}


def merged(old, now, groups, changed):
    """What `changed` does not name stays as it is here: the owner may have edited it since."""
    stays = [member for group, members in groups.items() if group not in changed for member in members]
    kept = {member: old[member] for member in stays if member in (old or {})}
    return {**{member: value for member, value in now.items() if member not in stays}, **kept} if old else now


TEXTS = ["title", "description", "images", "category"]


def edited(product):
    """Optional: the texts that the owner has edited since they were written. `written` is a copy of them, made by each put."""
    written = product.get("written", {})
    return [group for group in TEXTS if any(product.get(m) != written[m] for m in OF_PRODUCT[group] if m in written)]


def put(publication, product, recreate):
    """The same put twice is one product, and the last put wins: the publication's id is the key."""
    if not isinstance(product, dict) or not product.get("title") or not isinstance(product.get("variants"), list):
        return 422, {"title": "Not a product", "detail": "it has no title, or no variants"}
    sold = [v for v in product["variants"] if float(v["price"]) > 0]
    refused = {v["id"]: "its price is not above zero" for v in product["variants"] if v not in sold}
    if not sold:
        return 422, {"title": "Nothing to sell", "detail": "no variant has a price above zero"}
    with lock, db:
        if recreate:
            db.execute("DELETE FROM deleted_by_hand WHERE publication = ?", (publication,))
        elif db.execute("SELECT 1 FROM deleted_by_hand WHERE publication = ?", (publication,)).fetchone():
            return 410, {"deleted": True}
        known = db.execute("SELECT body, on_sale FROM product WHERE publication = ?", (publication,)).fetchone()
        old, changed = json.loads(known[0]) if known else {}, product.get("changed", [])
        kept = [group for group in edited(old) if group in changed and group not in product.get("reset", [])]
        changed = [group for group in changed if group not in kept]
        variants = {v["id"]: v for v in old.get("variants", [])}
        off = [] if product.get("revive") else [id for id, v in variants.items() if v.get("off")]  # what the owner switched off stays off
        written = merged(old, product, OF_PRODUCT, changed)
        written["variants"] = [merged(variants.get(v["id"]), v, OF_VARIANT, changed) | {"off": v["id"] in off} for v in sold]
        texts = {m: written[m] for group in TEXTS if not old or group in changed for m in OF_PRODUCT[group]}
        written["written"] = old.get("written", {}) | texts
        draft = written["draft"] = bool(product.get("draft")) and not (known and known[1])  # what is on sale stays so
        db.execute(
            "INSERT INTO product (publication, on_sale, body) VALUES (?, ?, ?)"
            " ON CONFLICT (publication) DO UPDATE SET on_sale = excluded.on_sale, body = excluded.body",
            (publication, not draft, json.dumps(written)),
        )
        number = db.execute("SELECT number FROM product WHERE publication = ?", (publication,)).fetchone()[0]
    variants = {v["id"]: f"{number}-{v['id']}" for v in sold}
    return 200 if known else 201, {"id": str(number), "url": address(number), "variants": variants, "refused": refused, "kept": kept, "draft": draft}


def patch(publication, body):
    """Optional, where health says so: prices and stock alone. What is not here with these very variants is put whole."""
    figures = {v["id"]: v for v in body["variants"]}
    groups = {group: OF_VARIANT[group] for group in ("price", "stock")}
    with lock, db:
        row = db.execute("SELECT number, body FROM product WHERE publication = ?", (publication,)).fetchone()
        if not row:
            return 404, {"title": "No such product"}
        number, product = row[0], json.loads(row[1])
        if {v["id"] for v in product["variants"]} != figures.keys() or any(float(v["price"]) <= 0 for v in figures.values()):
            return 409, {"title": "Not with these variants"}
        product["variants"] = [{**v, **merged(v, figures[v["id"]], groups, body.get("changed", []))} for v in product["variants"]]
        draft = product.get("draft", False)
        db.execute("UPDATE product SET on_sale = ?, body = ? WHERE publication = ?", (not draft, json.dumps(product), publication))
    return 200, {"id": str(number), "url": address(number), "variants": {id: f"{number}-{id}" for id in figures}, "draft": draft}


def remove(publication, mode):
    with lock, db:
        db.execute("DELETE FROM deleted_by_hand WHERE publication = ?", (publication,))
        if mode == "delete":
            done = db.execute("DELETE FROM product WHERE publication = ?", (publication,))
        else:
            done = db.execute("UPDATE product SET on_sale = 0 WHERE publication = ?", (publication,))
    return (204, None) if done.rowcount else (404, {"title": "No such product"})


def remove_by_hand(number):
    """Optional: the owner deletes a product, at its own address. It stays away, and a PUT is told so, until somebody asks for it."""
    with lock, db:
        db.execute("INSERT INTO deleted_by_hand SELECT publication FROM product WHERE number = ?", (int(number),))
        done = db.execute("DELETE FROM product WHERE number = ?", (int(number),))
    return (204, None) if done.rowcount else (404, {"title": "No such product"})


def sell_by_hand(number):
    """Optional: the owner puts a draft on sale, at its own address (POST)."""
    with lock, db:
        row = db.execute("SELECT body FROM product WHERE number = ?", (int(number),)).fetchone()
        product = json.loads(row[0]) if row else {}
        if not product.get("draft"):
            return 404, {"title": "No such draft"}
        body = json.dumps(product | {"draft": False})
        db.execute("UPDATE product SET on_sale = 1, body = ? WHERE number = ?", (body, int(number)))
    return 204, None


def observed(product, on_sale):
    """Where health says "observed", the variants are shown as they stand here."""
    shown = [
        {k: v[k] for k in ("id", "sku", "price", "quantity", "backorders")} | {"onSale": on_sale and not v.get("off")}
        for v in product["variants"]
    ]
    return {"variants": shown, "images": len(product["images"]), "edited": edited(product)}


def listing(after, only):
    """Optional: what is here, a hundred at a time, so that pubsync finds it again when its own store is lost."""
    with lock:
        rows = db.execute(
            "SELECT number, publication, on_sale, body FROM product WHERE number > ? AND ? IN ('', publication) ORDER BY number LIMIT 101",
            (int(after or 0), only),
        ).fetchall()
    page = [{"publication": p, "id": str(n), "url": address(n), "onSale": bool(s), **observed(json.loads(b), bool(s))} for n, p, s, b in rows[:100]]
    return 200, {"products": page, "after": page[-1]["id"] if len(rows) > 100 else ""}


def page(number):
    """What a customer sees: brand and details are optional members, so each is shown where it is there."""
    with lock:
        row = db.execute("SELECT body FROM product WHERE number = ? AND on_sale", (int(number),)).fetchone()
    if not row:
        return 404, {"title": "No such page"}
    product, lines = json.loads(row[0]), []
    for v in [v for v in product["variants"] if not v.get("off")]:
        facts = {name: ", ".join(v[name]) if isinstance(v[name], list) else v[name] for name in ["sku", "price", "ean"] + DETAILS if v.get(name)}
        lines.append("<dl>" + "".join(f"<dt>{name}</dt><dd>{html.escape(value)}</dd>" for name, value in facts.items()) + "</dl>")
    title, brand = html.escape(product["title"]), html.escape(product.get("brand") or "")
    return 200, f"<!doctype html><meta charset=utf-8><title>{title}</title><h1>{title}</h1><p>{brand}</p>{product['description']}{''.join(lines)}"


class Shop(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body leave together

    def handle_request(self):
        url = urlsplit(self.path)
        query = parse_qs(url.query)
        length = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(length)
        if len(body) < length:
            self.close_connection = True  # cut off: nothing is changed, and nobody waits for an answer
            return
        try:
            status, answer = self.answer(url.path, query, body)
        except ValueError as error:
            status, answer = 400, {"title": "Cannot be read", "detail": str(error)}
        is_page = isinstance(answer, str)
        data = b"" if answer is None else (answer if is_page else json.dumps(answer)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html" if is_page else "application/json" if status < 400 else "application/problem+json")
        if status != 204:
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def answer(self, path, query, body):
        if path == "/health":
            return 200, {"currency": "EUR", "version": "example 1", "figures": True, "observed": True, "drafts": True}
        parts = path.split("/")
        if self.command == "GET" and len(parts) == 3 and parts[1] == "p":
            return page(parts[2])
        if bearer and not hmac.compare_digest(self.headers.get("Authorization", "").encode(), bearer.encode()):
            return 401, {"title": "The token is not this shop's"}
        if path == "/products" and self.command == "GET":
            return listing(query.get("after", [""])[0], query.get("publication", [""])[0])
        if self.command == "DELETE" and len(parts) == 3 and parts[1] == "p":
            return remove_by_hand(parts[2])
        if self.command == "POST" and len(parts) == 3 and parts[1] == "p":
            return sell_by_hand(parts[2])
        if len(parts) != 3 or parts[1] != "products" or not parts[2]:
            return 404, {"title": "No such address"}
        publication = unquote(parts[2], errors="strict")
        if self.command == "DELETE":
            return remove(publication, query.get("mode", [""])[0])
        if self.command == "PUT":
            return put(publication, json.loads(body), self.headers.get("Pubsync-Recreate") == "true")
        if self.command == "PATCH":
            return patch(publication, json.loads(body))
        return 405, {"title": "PUT, PATCH or DELETE"}

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = handle_request

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", port), Shop)
print(f"shop at http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
