package desk

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// Asked answers a request that the worker carries out later.
type Asked struct {
	Count   int      `json:"count"`             // due or answered publications and reports
	Unknown []string `json:"unknown,omitempty"` // not in the store; the others are done
}

// A Retry makes publications due now. It has one of IDs, Failed and All.
type Retry struct {
	// IDs are worked on before all that was not named.
	IDs   []string `json:"ids,omitempty"`
	Reset bool     `json:"reset,omitempty"` // with IDs: drops the merchant's edits
	// Failed are the rejected, blocked, pending and partial ones, and every refused report.
	Failed bool `json:"failed,omitempty"`
	All    bool `json:"all,omitempty"` // except what is held
}

// Retry makes publications due, and has the shop tried.
func (l *Local) Retry(ctx context.Context, r Retry) (a Asked, err error) {
	named := len(r.IDs) > 0
	if named && (r.Failed || r.All) || !named && (r.Failed == r.All || r.Reset) {
		return a, usage("ids, failed or all: one of them; reset goes with ids")
	}
	now, by := time.Now(), ActorOf(ctx)
	again := func(e *store.Entry) bool {
		if named {
			publication.Retry(e, store.ClassAsked, r.Reset, by, now)
			return true
		}
		return publication.RetryTogether(e, r.Failed, by, now)
	}
	a, err = l.change(ctx, r.IDs, []store.Property{""}, again)
	if err == nil {
		l.TryShop(ctx)
	}
	return a, err
}

// change changes the named ids; without any, all publications with one of the properties.
func (l *Local) change(
	ctx context.Context, ids []string, of []store.Property, f func(*store.Entry) bool,
) (a Asked, err error) {
	if len(ids) == 0 {
		for i := 0; i < len(of) && err == nil; i++ {
			var n int
			n, err = store.ChangeAll(ctx, l.Store, store.Query{Key: of[i]}, f)
			a.Count += n
		}
		return a, err
	}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	unknown := map[string]bool{}
	a.Count, err = l.Store.Change(ctx, ids, func(e *store.Entry) bool {
		if !e.Known {
			unknown[e.Record.ID] = true
		}
		return e.Known && f(e)
	})
	a.Unknown = slices.Sorted(maps.Keys(unknown))
	return a, err
}

// An Answer is a person's verdict on held changes.
type Answer struct {
	// Decline keeps what is in place until another change comes. Without it exactly the held values are let through.
	Decline bool     `json:"decline,omitempty"`
	IDs     []string `json:"ids,omitempty"`
	// Holds are the [HeldNow.Key] of what was shown of one publication, empty: all. If one is gone nothing changes,
	// and the error is ErrHold.
	Holds []string `json:"holds,omitempty"`
	Kind  string   `json:"kind,omitempty"` // every hold of this kind
	All   bool     `json:"all,omitempty"`  // without it an Answer that chooses nothing is an error
	// At is the [Held.At] of what was shown: newer holds are not meant. Zero means all.
	At time.Time `json:"at,omitzero"`
}

// Answer approves or declines, and wakes the worker.
func (l *Local) Answer(ctx context.Context, a Answer) (asked Asked, err error) {
	kinds, err := kindsOf(a.Kind)
	switch {
	case err != nil:
		return asked, err
	case !a.All && len(a.IDs) == 0 && a.Kind == "":
		return asked, usage("nothing is chosen: ids, a kind or all")
	}
	now, by, named := time.Now(), ActorOf(ctx), len(a.IDs) > 0
	keys := slices.Compact(slices.Sorted(slices.Values(a.Holds)))
	choice := publication.Choice{Kind: store.HoldKind(a.Kind), Until: store.At(a.At), Keys: keys}
	judge := publication.Approve
	if a.Decline {
		judge = publication.Decline
	}
	var of []store.Property
	for _, kind := range kinds {
		of = append(of, store.KeyHold(kind))
	}
	asked, err = l.change(ctx, a.IDs, of, func(e *store.Entry) bool {
		class := publication.Together(e.Record)
		if named {
			class = store.ClassAsked
		}
		return judge(e, choice, class, by, now)
	})
	l.Wake()
	if err == nil && asked.Count == 0 && len(a.Holds) > 0 && len(asked.Unknown) < len(a.IDs) {
		err = ErrHold
	}
	return asked, err
}

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
