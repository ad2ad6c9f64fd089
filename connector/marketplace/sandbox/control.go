package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"
)

// A Line is one publication in the control's list.
type Line struct {
	ID         string        `json:"id"`
	Status     string        `json:"status"`
	Title      string        `json:"title"`
	ProductURL string        `json:"productUrl"`
	UpdatedAt  string        `json:"updatedAt"`
	Variants   []VariantLine `json:"variants"`
}

// A VariantLine is one variant in the control's list.
type VariantLine struct {
	ID       string `json:"id"`
	SKU      string `json:"sku"`
	MSRP     string `json:"msrp"`
	Cost     string `json:"cost"`
	Quantity int    `json:"quantity"`
}

// serveControl answers GET /sandbox/publications, and carries out the order in the body of POST
// /sandbox/orders. A real marketplace has nothing there. It asks for no token, but a page in a
// browser cannot send JSON to another origin, so no web page gives orders.
func (m *Marketplace) serveControl(w http.ResponseWriter, r *http.Request, path string) {
	if path == "publications" {
		writeJSON(w, http.StatusOK, map[string]any{"publications": m.lines()})
		return
	}
	var order Order
	var done Outcome
	err := errors.New("there is GET /sandbox/publications, and POST /sandbox/orders of JSON")
	if path == "orders" && isJSON(r) {
		if err = json.NewDecoder(r.Body).Decode(&order); err == nil {
			done, err = m.Carry(order)
		}
	}
	if err != nil {
		writeJSON(w, http.StatusUnprocessableEntity, map[string]string{"error": err.Error()})
		return
	}
	writeJSON(w, http.StatusOK, done)
}

func (m *Marketplace) lines() []Line {
	lines := []Line{}
	for _, p := range m.Publications() {
		l := Line{
			ID: p.ID, Status: p.Status, ProductURL: p.ProductURL, UpdatedAt: timestamp(p.UpdatedAt), Variants: []VariantLine{},
		}
		if p.Listing != nil {
			l.Title = p.Listing.anyTitle()
			for _, v := range p.Listing.Variants {
				l.Variants = append(l.Variants, VariantLine{v.ID, v.SKU, v.MSRP, v.Cost, v.Quantity})
			}
		}
		lines = append(lines, l)
	}
	return lines
}

// day is the orders that Live gives, in their order. The doubled price is one that the price brake
// of a connector holds.
var day = []Order{
	{Do: []string{"price", "any", "x1.08"}},
	{Do: []string{"price", "any", "x2.2"}},
	{Do: []string{"add"}},
	{Do: []string{"stock", "any", "3"}},
	{Do: []string{"supply", "any", "html=<p>A better description, as suppliers write them on a quiet afternoon.</p>"}},
	{Do: []string{"price", "any", "x0.92"}},
	{Do: []string{"images", "any", "2"}},
	{Do: []string{"add"}},
	{Do: []string{"variants", "any", "3"}},
	{Do: []string{"stock", "any", "0"}},
	{Do: []string{"remove", "any"}},
	{Do: []string{"relist", "any"}},
}

// Live carries out an order every so often until ctx ends. The first comes within a second: whoever
// starts a sandbox wants to see one.
func (m *Marketplace) Live(ctx context.Context, every time.Duration) {
	for n, next := 0, min(every, time.Second); ; n, next = n+1, every {
		select {
		case <-ctx.Done():
			return
		case <-time.After(next):
		}
		o := day[n%len(day)]
		o.Do = slices.Clone(o.Do)
		_, _ = m.Carry(o) //nolint:errcheck // an empty list has no product: the next order may be an import
	}
}
