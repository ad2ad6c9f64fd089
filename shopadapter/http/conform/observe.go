package conform

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// observe is what the endpoint shows of the law's publications.
func (d *driver) observe(ctx context.Context) ([]laws.Seen, error) {
	if d.offer.list {
		return d.fromList(ctx, func(shopadapter.PublicationID) bool { return true })
	}
	var all []laws.Seen
	for _, id := range d.everPut() {
		seen, err := d.fromAnswer(ctx, id)
		if err != nil {
			return nil, err
		}
		all = append(all, seen...)
	}
	return all, nil
}

// observeOne is what the endpoint shows of one publication.
func (d *driver) observeOne(ctx context.Context, id shopadapter.PublicationID) ([]laws.Seen, error) {
	if !d.offer.list {
		return d.fromAnswer(ctx, id)
	}
	return d.fromList(ctx, func(other shopadapter.PublicationID) bool { return other == id })
}

// fromList is the entries of the list that are this law's own.
func (d *driver) fromList(
	ctx context.Context, wanted func(shopadapter.PublicationID) bool,
) (all []laws.Seen, err error) {
	var entries []listed
	if _, err := d.list(ctx, maxPages, func(l listed) { entries = append(entries, l) }); err != nil {
		return nil, err
	}
	for _, l := range entries {
		id := shopadapter.PublicationID(l.Publication)
		h, known := d.known(id)
		if !known || !wanted(id) {
			continue // another's
		}
		seen := laws.Seen{Listing: shopadapter.ListingID(l.ID), Publication: id, OnSale: l.OnSale}
		for _, v := range l.Variants {
			if v.OnSale == nil || *v.OnSale {
				seen.Variants = append(seen.Variants, h.variant(v))
			}
		}
		if d.offer.page && l.OnSale {
			page, _ := d.page(ctx, id)
			seen.Title, _ = h.titleOn(page)
			d.addDetails(&seen, h, page)
		}
		all = append(all, seen)
	}
	return all, nil
}

// variant is an observed variant, whose id is the marketplace's or the shop's.
func (h held) variant(v observed) laws.SeenVariant {
	seen := laws.SeenVariant{
		ID: v.ID, ShopID: unnamed(v.ID), SKU: v.SKU, Options: v.Options,
		Price: string(v.Price), Quantity: v.Quantity, Backorders: v.Backorders,
	}
	for id, shops := range h.answer.Variants {
		if id == v.ID || shops == v.ID {
			seen.ID, seen.ShopID = id, shops
		}
	}
	return seen
}

// fromAnswer is what the endpoint says of a publication when the last PUT comes again, in which
// nothing is said to have changed. Of what is not on sale the page alone tells, where there is one.
func (d *driver) fromAnswer(ctx context.Context, id shopadapter.PublicationID) ([]laws.Seen, error) {
	h, known := d.known(id)
	if !known {
		return nil, nil
	}
	seen := laws.Seen{Listing: shopadapter.ListingID(h.answer.ID), Publication: id}
	if h.state != onSale {
		if d.offer.page {
			seen.Title, seen.OnSale = d.shown(ctx, id)
		}
		if h.state == deleted && !seen.OnSale {
			return nil, nil
		}
		return []laws.Seen{seen}, nil
	}
	body, err := unchanged(h.body)
	if err != nil {
		return nil, err
	}
	r, err := d.Send(ctx, laws.Request{Method: http.MethodPut, Path: httpshop.Path(id), Body: body})
	if err != nil {
		return nil, err
	}
	if r.Status != http.StatusOK && r.Status != http.StatusCreated {
		return nil, fmt.Errorf("a PUT of what is there already: got %d, want 200 or 201", r.Status)
	}
	a, err := d.Answer(r)
	if err != nil {
		return nil, err
	}
	seen.Listing, seen.OnSale = shopadapter.ListingID(a.ID), true
	if d.offer.page {
		seen.Title, seen.OnSale = d.shown(ctx, id)
	}
	return []laws.Seen{seen}, nil
}

// unchanged is the body of a PUT that says that nothing has changed.
func unchanged(body []byte) ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return nil, err
	}
	members["changed"] = json.RawMessage("[]")
	return json.Marshal(members)
}

// shown is the one of the titles put so far that the page at the listing's address shows.
func (d *driver) shown(ctx context.Context, id shopadapter.PublicationID) (title string, ok bool) {
	page, ok := d.page(ctx, id)
	if !ok {
		return "", false
	}
	h, _ := d.known(id)
	return h.titleOn(page)
}

// page is the text of the page at the listing's address.
func (d *driver) page(ctx context.Context, id shopadapter.PublicationID) (text string, ok bool) {
	h, known := d.known(id)
	if !known || h.answer.URL == "" {
		return "", false
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, h.answer.URL, nil)
	if err != nil {
		return "", false
	}
	// The page is a visitor's: it is asked for without the token, and may lie elsewhere. What a
	// cache kept of it would tell of the past.
	req.Header.Set("Cache-Control", "no-cache")
	client := http.Client{Transport: d.next, Timeout: pageTime}
	res, err := client.Do(req)
	if err != nil {
		return "", false
	}
	defer res.Body.Close() //nolint:errcheck // only read
	page, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil || res.StatusCode != http.StatusOK {
		return "", false
	}
	return laws.Plain(string(page)), true
}
