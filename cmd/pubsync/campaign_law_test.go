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

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

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
	refused map[string]bool // by the shop, once
	bare    map[string]bool // nothing of it was on sale then, or since
	removed map[string]bool // has been off the list
	broken  []string
}

// A shopCall is a request that the shop received.
type shopCall struct {
	at           time.Time // when it came
	replica      string
	method, path string
}

func newLedger(s *shop) *ledger {
	return &ledger{shop: s, refused: map[string]bool{}, bare: map[string]bool{}, removed: map[string]bool{}}
}

func (l *ledger) breaks(format string, args ...any) {
	l.broken = append(l.broken, fmt.Sprintf(format, args...))
}

func (l *ledger) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.broken
	l.broken = nil
	return out
}

func (l *ledger) sees(s sight, r letter) {
	switch s {
	case sight{sandbox.KindReport, arrived}:
		l.reported(r.body)
	case sight{kindDelete, arrived}:
		l.withdrawn(r.id)
	case sight{kindDelete, executed}:
		l.look(r.id)
	}
	if s.moment == arrived && r.caller != everybody {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.calls = append(l.calls, shopCall{time.Now(), r.caller, string(s.kind), r.path})
	}
}

func (l *ledger) refuses(id string) {
	l.mu.Lock()
	l.refused[id] = true
	l.mu.Unlock()
	l.look(id)
}

// look notes a product that the shop has refused and does not sell.
func (l *ledger) look(id string) {
	onSale := l.shop.Products()[id].OnSale
	l.mu.Lock()
	defer l.mu.Unlock()
	l.bare[id] = l.bare[id] || l.refused[id] && !onSale
}

func (l *ledger) off(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.removed[id] = true
}

// withdrawn judges a DELETE: its publication has left the list, or was refused.
func (l *ledger) withdrawn(id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.removed[id] && !l.refused[id] {
		l.breaks("%s was withdrawn, though it never left the list and was never refused", id)
	}
}

// reported judges the reports of one request, whether or not they take effect: a success must be on
// sale at that address now, and of what failed the shop must once have refused all.
func (l *ledger) reported(body []byte) {
	var request struct {
		Variables map[string]struct{ ID, Status, ProductURL string }
	}
	if err := json.Unmarshal(body, &request); err != nil {
		return
	}
	held := l.shop.Products()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, report := range request.Variables {
		h := held[report.ID]
		switch strings.ToLower(report.Status) {
		case "success":
			if !h.OnSale || report.ProductURL != addressOf(h.Listing) {
				l.breaks("%s is reported on sale at %q; it is on sale %t, at %s", report.ID, report.ProductURL, h.OnSale,
					addressOf(h.Listing))
			}
		case "failed":
			if !l.bare[report.ID] {
				l.breaks("%s is reported failed, and was never refused while it was not on sale; on sale now: %t", report.ID,
					h.OnSale)
			}
		default:
			l.breaks("%s is reported %q", report.ID, report.Status)
		}
	}
}

func (s *supply) all() []string {
	ids := slices.Collect(maps.Keys(s.shop.Products()))
	for _, p := range s.market.Publications() {
		ids = append(ids, p.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// unlawful compares the shop and the marketplace's statuses of publications with the import list.
func (s *supply) unlawful(ids []string) (broken []string) {
	breaks := func(format string, args ...any) { broken = append(broken, fmt.Sprintf(format, args...)) }
	held := s.shop.Products()
	shopIDs, skus := map[shopadapter.ListingID]string{}, map[string]string{}
	for _, id := range ids {
		h := held[id]
		p, listed := s.market.Publication(id)
		switch {
		case !listed:
			if h.OnSale {
				breaks("%s is on sale, and not on the list", id)
			}
			continue
		case isSpoiled(p): // an earlier version is on sale still, or nothing is
			if want := map[bool]string{true: "success", false: "failed"}[h.OnSale]; p.Status != want {
				breaks("%s is refused and on sale %t, the marketplace holds %q", id, h.OnSale, p.Status)
			}
			continue
		case !h.OnSale:
			breaks("%s is on the list and not on sale", id)
			continue
		}
		if diff := offerDiff(p, h); diff != "" {
			breaks("%s is not what its supplier offers (-offered +in the shop):\n%s", id, diff)
		}
		if other, twice := shopIDs[h.Listing]; twice {
			breaks("%s and %s share the listing %s", id, other, h.Listing)
		}
		shopIDs[h.Listing] = id
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

func offerDiff(p sandbox.Publication, h shoptest.Product) string {
	return cmp.Diff(offered(p), h.Product, cmpopts.IgnoreFields(shopadapter.Product{}, "UpdatedAt", "Currency"),
		cmpopts.IgnoreFields(shopadapter.Variant{}, "SKU", "Title", "Details"),
		cmp.FilterPath(func(p cmp.Path) bool { return strings.HasSuffix(p.String(), "Category.Name") }, cmp.Ignore()))
}

func offered(p sandbox.Publication) shopadapter.Product {
	l := p.Listing
	out := shopadapter.Product{
		ID: shopadapter.PublicationID(p.ID), ListingID: l.ID, ProductID: l.ProductID, Language: "en",
		Title:        l.Texts["en"].Title,
		Description:  l.Texts["en"].Description,
		Translations: map[string]shopadapter.Translation{}, Options: []string{"Color"},
		Returns: fmt.Sprint(*l.Returns),
	}
	for lang, text := range l.Texts {
		out.Translations[lang] = shopadapter.Translation(text)
	}
	out.Category.Path = l.Category
	for _, v := range l.Variants {
		out.Variants = append(out.Variants, shopadapter.Variant{
			ID: v.ID, EAN: v.EAN, Price: v.MSRP, Cost: v.Cost, MSRP: v.MSRP, Quantity: v.Quantity,
			Options: []shopadapter.Option{{Name: v.Options[0].Name, Value: v.Options[0].Value}},
		})
	}
	for _, picture := range l.Pictures {
		out.Images = append(out.Images, picture.URL)
	}
	for _, sh := range l.Shipping {
		out.Shipping = append(out.Shipping, shopadapter.Shipping{
			CountryGroup: sh.CountryGroup, FixedCosts: sh.FixedCosts, VariableCosts: sh.VariableCosts,
			EstimatedDays: fmt.Sprint(sh.Days),
		})
	}
	return out
}
