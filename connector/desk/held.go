package desk

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// Held is held changes, summed up by kind and one by one.
type Held struct {
	At      time.Time    `json:"at"`
	Groups  []HeldGroup  `json:"groups"`
	Changes []HeldChange `json:"changes"`
}

// A HeldGroup is the held changes of one kind.
type HeldGroup struct {
	Kind         store.HoldKind `json:"kind"`
	What         string         `json:"what"`
	Publications int            `json:"publications"`
	publication.Sums
	Since time.Time `json:"since"` // of the newest change
}

type HeldChange struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	HeldNow
	Option string `json:"variantTitle,omitempty"`
}

// kindsOf returns the kind of that name, "" for all.
func kindsOf(name string) (kinds []store.HoldKind, err error) {
	kinds = store.HoldKinds()
	if name != "" {
		kinds = slices.DeleteFunc(kinds, func(kind store.HoldKind) bool { return string(kind) != name })
	}
	if len(kinds) == 0 {
		err = usage("kind: one of %v", store.HoldKinds())
	}
	return kinds, err
}

// Held returns what is held of a kind, "" for all. It lists at most limit changes, 0 for all.
func (l *Local) Held(ctx context.Context, name string, limit int) (Held, error) {
	all := Held{At: time.Now().UTC(), Groups: []HeldGroup{}, Changes: []HeldChange{}}
	kinds, err := kindsOf(name)
	if err != nil {
		return all, err
	}
	for _, kind := range kinds {
		g := HeldGroup{Kind: kind, What: kindWords[kind]}
		for r, err := range store.Records(ctx, l.Store, store.Query{Key: store.KeyHold(kind)}) {
			if err != nil {
				return all, err
			}
			g.Publications++
			for _, h := range (publication.Choice{Kind: kind}).Of(r, store.Hold.Stands) {
				g.Add(h)
				if since := h.Since.Time(); since.After(g.Since) {
					g.Since = since
				}
				if limit == 0 || len(all.Changes) < limit {
					v, _ := r.Variant(h.Variant)
					all.Changes = append(all.Changes, HeldChange{
						ID: r.ID, Title: r.Title, HeldNow: HeldNow{h.Key(), h}, Option: v.Title,
					})
				}
			}
		}
		if g.Changes > 0 {
			all.Groups = append(all.Groups, g)
		}
	}
	slices.SortFunc(all.Groups, func(a, b HeldGroup) int {
		return cmp.Or(b.Since.Compare(a.Since), cmp.Compare(a.Kind, b.Kind))
	})
	return all, nil
}

var kindWords = map[store.HoldKind]string{
	store.HoldPrice:      "prices that would move far, or of which a part is not known",
	store.HoldFirstPrice: "new products and variants whose first price is far from the usual",
	store.HoldRemoval:    "products that left the import list or have nothing to show, and would be taken out of sale",
	store.HoldForeign:    "products that another tool made, or that a store knew which was replaced",
	store.HoldRules:      "prices that other rules of pubsync's make, though no setting of yours has changed",
	store.HoldDrift:      "prices that somebody changed in the shop, and that would be put back",
}
