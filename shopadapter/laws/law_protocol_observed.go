package laws

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

func protocolObservedLaws() []Law {
	return []Law{{
		ID: "list-observed", needs: needs(endpoint()), check: checkListObserved,
		Sentence: `Where health says "observed", each product in the list has "images" and its "variants", each with ` +
			`"id", "sku", "price", "quantity", "backorders" and "onSale".`,
	}}
}

// An observedEntry is a product in the list of an endpoint that is observed, as it is written
// there.
type observedEntry struct {
	Publication shopadapter.PublicationID    `json:"publication"`
	Variants    []map[string]json.RawMessage `json:"variants"`
	Images      json.RawMessage              `json:"images"`
}

// listedObserved is the endpoint's list.
func (b *bench) listedObserved(ctx context.Context) (
	map[shopadapter.PublicationID]observedEntry, error,
) {
	const most = 1000
	all := map[shopadapter.PublicationID]observedEntry{}
	query := url.Values{"after": {""}}
	for range most {
		r, err := b.send(ctx, Request{Method: http.MethodGet, Path: "/products?" + query.Encode()})
		if err != nil {
			return nil, err
		}
		var page struct {
			Products []observedEntry `json:"products"`
			After    string          `json:"after"`
		}
		if r.Status != http.StatusOK {
			return nil, fmt.Errorf("the status of the list: got %d, want 200", r.Status)
		}
		if err := json.Unmarshal(r.Body, &page); err != nil {
			return nil, fmt.Errorf("a page of the list: %w", err)
		}
		for _, e := range page.Products {
			all[e.Publication] = e
		}
		if page.After == "" {
			return all, nil
		}
		query.Set("after", page.After)
	}
	return nil, fmt.Errorf("the list: got more than %d pages, want an end", most)
}

func checkListObserved(ctx context.Context, b *bench) error {
	if !b.Endpoint.IsObserved() {
		return &Skip{`GET /health does not say "observed": true, or the list is too long to be read at each step`}
	}
	p := b.sample(b.id("a"), 2)
	if _, err := b.whole(ctx, p); err != nil {
		return err
	}
	all, err := b.listedObserved(ctx)
	if err != nil {
		return err
	}
	return all[p.ID].sound(len(p.Variants))
}

// sound holds an entry to its form.
func (e observedEntry) sound(variants int) error {
	if e.Publication == "" {
		return errors.New("the list: got nothing of a product that was put, want it")
	}
	if n, err := strconv.Atoi(string(e.Images)); err != nil || n < 0 {
		return fmt.Errorf(`"images" of %q in the list: got %q, want a number`, e.Publication, e.Images)
	}
	if len(e.Variants) != variants {
		return fmt.Errorf(`"variants" of %q in the list: got %d, want %d`, e.Publication, len(e.Variants), variants)
	}
	text := func(raw string) bool { return strings.HasPrefix(raw, `"`) }
	truth := func(raw string) bool { return raw == "true" || raw == "false" }
	for _, v := range e.Variants {
		for _, member := range []struct {
			name, want string
			good       func(raw string) bool
		}{
			{"id", "a text", func(raw string) bool { return raw != `""` && raw != "null" && raw != "" }},
			{"sku", "a text", text},
			{"price", "a decimal number", func(raw string) bool {
				raw = strings.Trim(raw, `"`)
				return sameAmount(raw, raw)
			}},
			{"quantity", "a whole number", func(raw string) bool { _, err := strconv.Atoi(raw); return err == nil }},
			{"backorders", "true or false", truth},
			{"onSale", "true or false", truth},
		} {
			if got := string(v[member.name]); !member.good(got) {
				return fmt.Errorf("%q of a variant of %q: got %q, want %s", member.name, e.Publication, got, member.want)
			}
		}
	}
	return nil
}
