package conform

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// A listed is one product in the endpoint's list. Where health says "observed", it has its variants
// as they stand in the shop.
type listed struct {
	Publication shopadapter.PublicationID
	ID          httpshop.Text
	OnSale      bool
	Edited      json.RawMessage // texts that the merchant edited; nil: it does not tell
	Variants    []listedVariant
}

type listedVariant struct {
	ID, SKU    string
	Options    map[string]string // optional: what a visitor chooses to get it
	Price      httpshop.Text
	Quantity   int
	Backorders bool
	OnSale     *bool
}

const maxPages = 1000

// list reads as many pages of the list, and says whether that was all of it.
func (d *driver) list(ctx context.Context, pages int, entry func(listed)) (all bool, err error) {
	after := ""
	for range pages {
		r, err := d.Send(ctx, laws.Request{Method: http.MethodGet, Path: "/products?after=" + url.QueryEscape(after)})
		if err != nil {
			return false, err
		}
		none := []int{http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotImplemented}
		if after == "" && slices.Contains(none, r.Status) {
			return false, shopadapter.ErrNoList
		}
		var page struct {
			Products []listed
			After    string
		}
		if err := json.Unmarshal(r.Body, &page); err != nil || r.Status != http.StatusOK {
			return false, fmt.Errorf("the list: got status %d (%w), want 200 and "+
				`{"products":[{"publication","id","url","onSale"}],"after"}, or 404 where there is no list`, r.Status, err)
		}
		for _, p := range page.Products {
			if p.Publication == "" || p.ID == "" {
				return false, fmt.Errorf(`the list after %q: got a product without "publication" or "id", want both`, after)
			}
			entry(p)
		}
		if page.After == "" {
			return true, nil
		}
		if after == page.After {
			return false, fmt.Errorf(`the list: got the same "after" again, want an end`)
		}
		after = page.After
	}
	return false, nil
}

// observe is what the endpoint shows of the law's publications.
func (d *driver) observe(ctx context.Context) ([]laws.Seen, error) {
	return d.observeSome(ctx, d.known())
}

// observeOne is what it shows of one of them.
func (d *driver) observeOne(ctx context.Context, id shopadapter.PublicationID) ([]laws.Seen, error) {
	some := d.known()
	maps.DeleteFunc(some, func(other shopadapter.PublicationID, _ held) bool { return other != id })
	return d.observeSome(ctx, some)
}

// observeSome asks the list or, without one, goes by the answers so far.
func (d *driver) observeSome(
	ctx context.Context, some map[shopadapter.PublicationID]held,
) (all []laws.Seen, err error) {
	if !d.offer.list {
		for id, h := range some {
			if !h.deleted {
				all = append(all, laws.Seen{Listing: shopadapter.ListingID(h.answer.ID), Publication: id, OnSale: h.onSale})
			}
		}
		return all, nil
	}
	var entries []listed
	_, err = d.list(ctx, maxPages, func(l listed) { entries = append(entries, l) })
	for _, l := range entries {
		if h, wanted := some[l.Publication]; wanted {
			all = append(all, d.seen(ctx, l, h))
		}
	}
	return all, err
}

// seen is an entry of the list, with what its page shows.
func (d *driver) seen(ctx context.Context, l listed, h held) laws.Seen {
	seen := laws.Seen{Listing: shopadapter.ListingID(l.ID), Publication: l.Publication, OnSale: l.OnSale}
	var page string
	if d.offer.page && l.OnSale {
		page, seen.Title = d.page(ctx, h)
	}
	for _, v := range l.Variants {
		if v.OnSale != nil && !*v.OnSale {
			continue
		}
		one := laws.SeenVariant{
			ID: v.ID, ShopID: unnamed(v.ID), SKU: v.SKU, Options: v.Options,
			Price: string(v.Price), Quantity: v.Quantity, Backorders: v.Backorders, Details: map[string]string{},
		}
		for id, shops := range h.answer.Variants { // the id is the marketplace's or the shop's
			if id == v.ID || shops == v.ID {
				one.ID, one.ShopID = id, shops
			}
		}
		for _, name := range d.offer.details {
			one.Details[name] = h.shows(page, name, one.ID)
		}
		seen.Variants = append(seen.Variants, one)
	}
	if len(d.offer.details) > 0 {
		seen.Details = map[string]string{"brand": h.shows(page, "brand", "")}
	}
	return seen
}

// page is the text of the page at the listing's address, and the longest of the titles put so far
// that it shows.
func (d *driver) page(ctx context.Context, h held) (text, title string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.answer.URL, nil)
	if err != nil || h.answer.URL == "" {
		return "", ""
	}
	// The page is a visitor's: it is asked for without the token, and may lie elsewhere. What a
	// cache kept of it would tell of the past.
	req.Header.Set("Cache-Control", "no-cache")
	client := http.Client{Transport: d.next, Timeout: pageTime}
	res, err := client.Do(req)
	if err != nil {
		return "", ""
	}
	defer res.Body.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil || res.StatusCode != http.StatusOK {
		return "", ""
	}
	text = laws.Plain(string(data))
	for _, p := range h.puts {
		if strings.Contains(text, laws.Plain(p.Title)) && len(p.Title) > len(title) {
			title = p.Title
		}
	}
	return text, title
}

// paged are the details that are looked for on the page at a listing's address, by their group. The
// values of others are so short that a price or a quantity may look like one.
var paged = map[string]string{
	"brand": "brand", "ean": "variants", "weight": "details", "length": "details", "leadTime": "details",
	"tags": "details", "materials": "details",
}

// A put is the body of a PUT.
type put struct {
	shopadapter.Product
	Changed []string
}

// values are what a PUT gives of a detail, by the id of a variant. The brand is given once, for the
// variant "".
func (p put) values(name string) map[string]string {
	if name == "brand" {
		return map[string]string{"": p.Brand}
	}
	values := map[string]string{}
	for _, v := range p.Variants {
		for _, one := range append(v.List(), shopadapter.Detail{Name: "ean", Value: v.EAN}) {
			if one.Name == name {
				values[v.ID] = one.Value
			}
		}
	}
	return values
}

// stand are the values of a detail that are to stand after the PUTs so far, and all that were given.
func (h held) stand(name string) (now map[string]string, ever []string) {
	for i, p := range h.puts {
		if i == 0 || slices.Contains(p.Changed, paged[name]) {
			now = p.values(name)
			ever = slices.AppendSeq(ever, maps.Values(now))
		}
	}
	return now, ever
}

// shows is what a page shows of a detail of a variant: a value that was given before and should have
// gone, or the one that is to stand, "" where that is not there.
func (h held) shows(page, name, variant string) string {
	now, ever := h.stand(name)
	current := slices.Collect(maps.Values(now))
	for _, old := range ever {
		if !slices.Contains(current, old) && holds(page, old) {
			return old
		}
	}
	if holds(page, now[variant]) {
		return now[variant]
	}
	return ""
}

// shownOn are the details of which a page shows every value.
func (h held) shownOn(page string) (names []string) {
	for name := range paged {
		_, values := h.stand(name)
		missing := func(value string) bool { return !holds(page, value) }
		if len(values) > 0 && !slices.ContainsFunc(values, missing) {
			names = append(names, name)
		}
	}
	return names
}

// holds reports whether a page's text holds a value as a word of its own.
func holds(page, value string) bool {
	pattern := `(^|[^\w.,])` + regexp.QuoteMeta(laws.Plain(value)) + `($|[^\w.,])`
	found, err := regexp.MatchString(pattern, page)
	return err == nil && found && value != ""
}
