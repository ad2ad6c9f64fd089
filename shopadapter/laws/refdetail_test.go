package laws_test

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// refDetails are the details that a refShop keeps.
func refDetails() []string {
	return []string{
		"brand", "weight", "length", "width", "height", "diameter", "volume", "origin", "leadTime", "tags", "materials",
		"caseQuantity",
	}
}

// A refFacts is what a refShop keeps of details, and beside it what the adapter wrote last. Both
// travel in one request.
type refFacts struct {
	Held  map[string]string `json:"held"`
	Wrote map[string]string `json:"wrote"` // private to API clients
}

// merge is f with the wanted values in place of those that are the adapter's own or empty. It tells
// whether one stays as the merchant typed it.
func (f refFacts) merge(want map[string]string, reset bool, s sabotage) (merged refFacts, kept bool) {
	merged = refFacts{Held: maps.Clone(f.Held), Wrote: maps.Clone(f.Wrote)}
	if merged.Held == nil {
		merged = refFacts{Held: map[string]string{}, Wrote: map[string]string{}}
	}
	for _, name := range refDetails() {
		held, own := f.Held[name], f.Held[name] == f.Wrote[name]
		if !own && held != want[name] && !reset && s != overwritesDetails {
			kept = true
			continue
		}
		merged.Held[name] = want[name]
		if s != factsLater || f.Held[name] == want[name] {
			merged.Wrote[name] = want[name]
		}
	}
	if kept && s == oneDetailIsAll {
		return f, true
	}
	return merged, kept
}

// writeBrand writes the brand, in one request with its stamp.
func (a *refAdapter) writeBrand(
	ctx context.Context, have *refProduct, p shopadapter.Product, changed, reset shopadapter.Fields,
) (kept shopadapter.Fields, err error) {
	if !changed.Has(shopadapter.FieldBrand) || p.Unknown.Has(shopadapter.FieldBrand) && a.sabotage != clearsUnknown {
		return 0, nil
	}
	merged, edited := have.Facts.merge(
		map[string]string{"brand": p.Brand}, reset.Has(shopadapter.FieldBrand), a.sabotage,
	)
	if edited {
		kept = shopadapter.FieldBrand
	}
	if maps.Equal(merged.Held, have.Facts.Held) && maps.Equal(merged.Wrote, have.Facts.Wrote) {
		return kept, nil
	}
	return kept, a.patch(ctx, have, map[string]any{"facts": merged})
}

// facts are the details of each variant as they are to stand in the shop, by the client's id.
func (a *refAdapter) facts(have *refProduct, p shopadapter.Product, changed, reset shopadapter.Fields) (
	facts map[string]refFacts, kept shopadapter.Fields,
) {
	facts = map[string]refFacts{}
	for _, v := range have.Variants {
		facts[v.Ref] = v.Facts
	}
	known := len(have.Variants) > 0
	switch {
	case a.sabotage == clearsUnknown && p.Unknown.Has(shopadapter.FieldDetails):
	case !changed.Has(shopadapter.FieldDetails), a.sabotage == detailsOnce && known:
		return facts, 0
	}
	for _, v := range p.Variants {
		want := map[string]string{}
		for _, one := range v.Details.List() {
			want[one.Name] = one.Value
		}
		merged, edited := facts[v.ID].merge(want, reset.Has(shopadapter.FieldDetails), a.sabotage)
		if facts[v.ID] = merged; edited {
			kept = shopadapter.FieldDetails
		}
	}
	return facts, kept
}

func (s *refShop) editDetail(
	_ context.Context, listing shopadapter.ListingID, v laws.SeenVariant, name string,
) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.products[string(listing)]
	if p == nil {
		return fmt.Errorf("no product %s", listing)
	}
	facts := &p.Facts
	if name != "brand" {
		i := slices.IndexFunc(p.Variants, func(one refVariant) bool { return one.ID == v.ShopID })
		if i < 0 {
			return fmt.Errorf("no variant %s", v.ShopID)
		}
		p.Variants = slices.Clone(p.Variants)
		facts = &p.Variants[i].Facts
	}
	facts.Held = maps.Clone(facts.Held)
	if facts.Held == nil {
		facts.Held = map[string]string{}
	}
	facts.Held[name] = "7.77"
	return nil
}

// seenBrand is the brand as the suite sees it.
func (p *refProduct) seenBrand() map[string]string {
	return map[string]string{"brand": p.Facts.Held["brand"]}
}
