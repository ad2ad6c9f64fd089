package desk

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// Held is held changes, in groups and one by one.
type Held struct {
	At      time.Time    `json:"at"`
	Groups  []HeldGroup  `json:"groups"`
	Changes []HeldChange `json:"changes"`
}

// A HeldGroup is the held changes of one kind and cause.
type HeldGroup struct {
	Group        string         `json:"group"` // such as price/supplier-up
	Kind         store.HoldKind `json:"kind"`
	What         string         `json:"what"`
	Publications int            `json:"publications"`
	publication.Sums
	Since time.Time `json:"since"` // of the newest change

	last string // the publication counted last
}

type HeldChange struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	HeldNow
	Option string `json:"variantTitle,omitempty"`
}

// kindsOf returns the indexes of a group's kind; "" means every kind.
func kindsOf(group string) (kinds []store.Property, err error) {
	kind, _, _ := strings.Cut(group, "/")
	for _, k := range store.HoldKinds() {
		if group == "" || store.HoldKind(kind) == k {
			kinds = append(kinds, store.KeyHold(k))
		}
	}
	if kinds == nil {
		err = usage("kind: one of %v", store.HoldKinds())
	}
	return kinds, err
}

// Held returns what is held of a kind or a group, "" for all. It lists at most limit changes, 0 for all.
func (l *Local) Held(ctx context.Context, group string, limit int) (Held, error) {
	all := Held{At: time.Now().UTC(), Groups: []HeldGroup{}, Changes: []HeldChange{}}
	kinds, err := kindsOf(group)
	if err != nil {
		return all, err
	}
	groups := map[string]*HeldGroup{}
	for _, kind := range kinds {
		stands := func(h store.Hold) bool { return h.Stands() && store.KeyHold(h.Kind) == kind }
		for r, err := range store.Records(ctx, l.Store, store.Query{Key: kind}) {
			if err != nil {
				return all, err
			}
			for _, h := range (publication.Choice{Group: group}).Of(r, stands) {
				name := publication.GroupOf(h)
				g := groups[name]
				if g == nil {
					g = &HeldGroup{Group: name, Kind: h.Kind, What: groupWords[name]}
					groups[name] = g
				}
				g.Add(h)
				if g.last != r.ID {
					g.last = r.ID
					g.Publications++
				}
				if since := h.Since.Time(); since.After(g.Since) {
					g.Since = since
				}
				if limit == 0 || len(all.Changes) < limit {
					v, _ := r.Variant(h.Variant)
					all.Changes = append(all.Changes, HeldChange{
						ID: r.ID, Title: r.Title, HeldNow: heldNow(r, h), Option: v.Title,
					})
				}
			}
		}
	}
	for _, g := range groups {
		all.Groups = append(all.Groups, *g)
	}
	slices.SortFunc(all.Groups, func(a, b HeldGroup) int {
		return cmp.Or(b.Since.Compare(a.Since), cmp.Compare(a.Group, b.Group))
	})
	return all, nil
}

var groupWords = map[string]string{
	"price/supplier-up":   "prices that would rise far, since the supplier moved a figure",
	"price/supplier-down": "prices that would fall far, since the supplier moved a figure",
	"price/rules-up":      "prices that would rise far, since your rules of prices have changed",
	"price/rules-down":    "prices that would fall far, since your rules of prices have changed",
	"price/unknown-up":    "prices that stay, since a part of the new ones is not known, and that would rise without it",
	"price/unknown-down":  "prices that stay, since a part of the new ones is not known, and that would fall without it",
	"price/up":            "prices that would rise far",
	"price/down":          "prices that would fall far",
	"first-price":         "new products and variants whose first price is far from the usual",
	"first-price/high":    "new products and variants whose first price is far above the usual",
	"first-price/low":     "new products and variants whose first price is far below the usual",
	"removal/absent":      "products that are gone from the import list, and would be taken out of sale",
	"removal/no-listing":  "products whose listing is gone, and that would be taken out of sale",
	"removal/no-variants": "products that have no variant left, and would be taken out of sale",
	"foreign":             "products that another tool made, or that a store knew which was replaced",
	"rules":               "price rules changed",
	"drift":               "prices that somebody changed in the shop, and that would be put back",
}
