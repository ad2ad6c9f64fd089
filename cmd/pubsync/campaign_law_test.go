// The laws of every campaign: the shop is the import list, reports are true, nothing is doubled, and
// nothing is withdrawn that was listed.

package main_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// A ledger holds what is written and reported to the laws at the moment it comes, and remembers
// what was broken, and who called the shop.
type ledger struct {
	shop *shop

	mu      sync.Mutex
	calls   []shopCall
	removed map[string]bool // has been off the list
	broken  []string
}

// A shopCall is a request that the shop received.
type shopCall struct {
	at           time.Time // when it came
	replica      string
	method, path string
}

// faults is what was broken since it was last asked.
func (l *ledger) faults() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.broken
	l.broken = nil
	return out
}

// sees judges a request as it comes, whether or not it takes effect: a report is true now, and a
// DELETE is of what has left the list.
func (l *ledger) sees(s sight, r letter) {
	if s.moment != arrived {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case s.kind == sandbox.KindReport:
		l.reported(r.body)
	case s.kind == kindDelete && !l.removed[r.id]:
		l.breaks("%s was withdrawn, though it never left the list", r.id)
	}
	if r.caller != everybody {
		l.calls = append(l.calls, shopCall{time.Now(), r.caller, string(s.kind), r.path})
	}
}

// reported judges the report of one request: its products must be on sale at their addresses now.
func (l *ledger) reported(body []byte) {
	var request struct {
		Variables map[string]struct{ ID, Status, ProductURL string }
	}
	if err := json.Unmarshal(body, &request); err != nil {
		l.breaks("a report cannot be read: %v", err)
	}
	held := l.shop.Products()
	for _, r := range request.Variables {
		h := held[r.ID]
		if !strings.EqualFold(r.Status, "success") || !h.OnSale || r.ProductURL != addressOf(h.Listing) {
			l.breaks("%s is reported %s at %q; it is on sale %t, at %s", r.ID, r.Status, r.ProductURL, h.OnSale,
				addressOf(h.Listing))
		}
	}
}

func (l *ledger) breaks(format string, args ...any) {
	l.broken = append(l.broken, fmt.Sprintf(format, args...))
}

func (l *ledger) off(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.removed[id] = true
}

// all is the publications that marketplace or shop know.
func (a *account) all() []string {
	ids := slices.Collect(maps.Keys(a.shop.Products()))
	for _, p := range a.market.Publications() {
		ids = append(ids, p.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// unlawful compares the shop and the marketplace's statuses of publications with the import list.
func (a *account) unlawful(ids []string) (broken []string) {
	breaks := func(format string, args ...any) { broken = append(broken, fmt.Sprintf(format, args...)) }
	held := a.shop.Products()
	listings, skus := map[shopadapter.ListingID]string{}, map[string]string{}
	for _, id := range ids {
		h := held[id]
		p, listed := a.market.Publication(id)
		switch {
		case !listed:
			if h.OnSale {
				breaks("%s is on sale, and not on the list", id)
			}
			continue
		case !h.OnSale:
			breaks("%s is on the list and not on sale", id)
			continue
		}
		if offer, has := offered(p.Listing), had(h); offer != has {
			breaks("%s is not what its supplier offers\noffered\n%s\nin the shop\n%s", id, offer, has)
		}
		if other, twice := listings[h.Listing]; twice {
			breaks("%s and %s share the listing %s", id, other, h.Listing)
		}
		listings[h.Listing] = id
		for _, v := range h.Variants {
			if other, twice := skus[v.SKU]; twice {
				breaks("%s and %s share the SKU %s", id, other, v.SKU)
			}
			skus[v.SKU] = id
		}
		if p.Status != "success" || p.ProductURL != addressOf(h.Listing) {
			breaks("the marketplace holds %s %q for %s, which is at %s", p.Status, p.ProductURL, id, addressOf(h.Listing))
		}
	}
	return broken
}

// offered is all that may change of a listing, and had the same of a product in the shop.
func offered(l *sandbox.Listing) string {
	s := fmt.Sprintln(l.Texts["en"])
	for _, p := range l.Pictures {
		s += p.URL + "\n"
	}
	for _, v := range l.Variants {
		s += fmt.Sprintln(v.ID, v.Options[0].Name, v.Options[0].Value, v.MSRP, v.Quantity)
	}
	return s
}

func had(h shoptest.Product) string {
	s := fmt.Sprintln(sandbox.Text{Title: h.Title, Description: h.Description})
	for _, address := range h.Images {
		s += address + "\n"
	}
	for _, v := range h.Variants {
		s += fmt.Sprintln(v.ID, v.Options[0].Name, v.Options[0].Value, v.Price, v.Quantity)
	}
	return s
}
