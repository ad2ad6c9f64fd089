// The laws that hold whatever was killed.

package main_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
)

// A ledger holds what is written and reported to the laws at the moment it comes, and remembers
// what was broken.
type ledger struct {
	shop *shop

	mu      sync.Mutex
	refused map[string]bool // by the shop, once
	bare    map[string]bool // nothing of it was on sale then, or since
	removed map[string]bool // has been off the list
	broken  []string
}

func newLedger(s *shop) *ledger {
	return &ledger{shop: s, refused: map[string]bool{}, bare: map[string]bool{}, removed: map[string]bool{}}
}

func (l *ledger) breaks(format string, args ...any) {
	l.broken = append(l.broken, fmt.Sprintf(format, args...))
}

// take empties the list of what was broken.
func (l *ledger) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.broken
	l.broken = nil
	return out
}

// refuses notes that the shop refuses a product.
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

// off notes that publications leave the list.
func (l *ledger) off(ids ...string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		l.removed[id] = true
	}
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

// lawful compares the shop and the marketplace's statuses with the import list.
func (s *supply) lawful() {
	s.t.Helper()
	list, held := s.market.Publications(), s.shop.Products()
	listed := map[string]bool{}
	shopIDs, skus := map[shopadapter.ListingID]string{}, map[string]string{}
	for _, p := range list {
		listed[p.ID] = true
		h, made := held[p.ID]
		if !made || !h.OnSale {
			s.t.Errorf("%s is on the list and not on sale", p.ID)
			continue
		}
		if diff := cmp.Diff(offered(p), h.Product, cmpopts.IgnoreFields(shopadapter.Product{}, "UpdatedAt", "Currency"),
			cmpopts.IgnoreFields(shopadapter.Variant{}, "SKU", "Title", "Details"),
			cmp.FilterPath(func(p cmp.Path) bool { return strings.HasSuffix(p.String(), "Category.Name") },
				cmp.Ignore())); diff != "" {
			s.t.Errorf("%s is not what its supplier offers (-offered +in the shop):\n%s", p.ID, diff)
		}
		if other, twice := shopIDs[h.Listing]; twice {
			s.t.Errorf("%s and %s share the listing %s", p.ID, other, h.Listing)
		}
		shopIDs[h.Listing] = p.ID
		for _, v := range h.Variants {
			if other, twice := skus[v.SKU]; twice {
				s.t.Errorf("%s and %s share the SKU %s", p.ID, other, v.SKU)
			}
			skus[v.SKU] = p.ID
		}
		if p.Status != "success" || p.ProductURL != addressOf(h.Listing) {
			s.t.Errorf("the marketplace holds %s %q for %s, which is at %s", p.Status, p.ProductURL, p.ID,
				addressOf(h.Listing))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(held)) {
		if held[id].OnSale && !listed[id] {
			s.t.Errorf("%s is on sale, and not on the list", id)
		}
	}
}

// lawfulOf holds products that the shop refuses to the law: an earlier version is on sale still,
// and called a success, or nothing is, and it failed.
func (s *supply) lawfulOf(spoiled []string) {
	s.t.Helper()
	held := s.shop.Products()
	for _, id := range spoiled {
		p, _ := s.market.Publication(id)
		want := map[bool]string{true: "success", false: "failed"}[held[id].OnSale]
		if p.Status != want {
			s.t.Errorf("%s is refused and on sale %t, the marketplace holds %q", id, held[id].OnSale, p.Status)
		}
	}
}

// offered is a publication as the shop is to have it.
func offered(p sandbox.Publication) shopadapter.Product {
	l := p.Listing
	out := shopadapter.Product{
		ID: shopadapter.PublicationID(p.ID), ListingID: l.ID, ProductID: l.ProductID, Language: "en",
		Title:        l.Texts["en"].Title,
		Description:  l.Texts["en"].Description,
		Translations: map[string]shopadapter.Translation{}, Options: []string{"Color"}, Returns: l.Returns,
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
