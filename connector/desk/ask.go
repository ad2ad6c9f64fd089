package desk

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter/wire"
	"github.com/pubsync/pubsync/store"
)

// A Request is what a person asks of publications: a retry, or a verdict on held changes. It names IDs, a Kind, All or
// Failed.
type Request struct {
	Retry   bool     `json:"-"`                 // makes them due now; the path says so
	Decline bool     `json:"decline,omitempty"` // keeps what is in place; else exactly the held values are let through
	IDs     []string `json:"ids,omitempty"`     // are worked on before all that was not named
	All     bool     `json:"all,omitempty"`     // what is held, or of a retry all else

	// of a retry: the rejected, blocked, pending and partial ones, and every refused report
	Failed bool `json:"failed,omitempty"`
	Reset  bool `json:"reset,omitempty"` // of a retry of IDs: drops the merchant's edits

	// Holds are the [HeldChange.Key] of what was shown of one publication, empty: all. If one is gone nothing changes,
	// and the error is ErrHold.
	Holds []string `json:"holds,omitempty"`
	Kind  string   `json:"kind,omitempty"` // every hold of this kind
	// At is the [Held.At] of what was shown: newer holds are not meant. Zero means all.
	At time.Time `json:"at,omitzero"`
	By string    `json:"by,omitempty"` // to whom history attributes it
}

const longestName = 64

// Asked answers a request that the worker carries out later.
type Asked struct {
	Count   int      `json:"count"`             // due or answered publications and reports
	Unknown []string `json:"unknown,omitempty"` // not in the store; the others are done
}

// Ask does what is asked, and has the shop tried.
func (l *Local) Ask(ctx context.Context, r Request) (asked Asked, err error) {
	kinds, err := kindsOf(r.Kind)
	named := len(r.IDs) > 0
	switch {
	case err != nil:
		return asked, err
	case r.Retry && (named && (r.Failed || r.All) || !named && (r.Failed == r.All || r.Reset)):
		return asked, usage("ids, failed or all: one of them; reset goes with ids")
	case !r.Retry && !named && !r.All && r.Kind == "":
		return asked, usage("nothing is chosen: ids, a kind or all")
	}
	now, by := time.Now(), cmp.Or(wire.Line(r.By, longestName, strings.TrimSpace), "a command")
	keys := slices.Compact(slices.Sorted(slices.Values(r.Holds)))
	choice := publication.Choice{Kind: store.HoldKind(r.Kind), Until: store.At(r.At), Keys: keys}
	do := func(e *store.Entry) bool {
		class := publication.Together(e.Record)
		if named {
			class = store.ClassAsked
		}
		switch {
		case !r.Retry && r.Decline:
			return publication.Decline(e, choice, class, by, now)
		case !r.Retry:
			return publication.Approve(e, choice, class, by, now)
		case !named:
			return publication.RetryTogether(e, r.Failed, by, now)
		}
		publication.Retry(e, class, r.Reset, by, now)
		return true
	}
	switch {
	case named:
		unknown := map[string]bool{}
		ids := slices.Compact(slices.Sorted(slices.Values(r.IDs)))
		asked.Count, err = l.Store.Change(ctx, ids, func(e *store.Entry) bool {
			if !e.Known {
				unknown[e.Record.ID] = true
			}
			return e.Known && do(e)
		})
		asked.Unknown = slices.Sorted(maps.Keys(unknown))
	case r.Retry:
		asked.Count, err = store.ChangeAll(ctx, l.Store, store.Query{}, do)
	default:
		for _, kind := range kinds {
			n, failed := store.ChangeAll(ctx, l.Store, store.Query{Key: store.KeyHold(kind)}, do)
			asked.Count, err = asked.Count+n, cmp.Or(err, failed)
		}
	}
	l.TryShop(ctx)
	if err == nil && asked.Count == 0 && len(r.Holds) > 0 && len(asked.Unknown) < len(r.IDs) {
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
	Since store.Instant `json:"since"` // of the newest change
}

// A HeldChange is one held change of a publication.
type HeldChange struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Key   string `json:"key"` // for Request.Holds
	store.Hold
	Option string `json:"variantTitle,omitempty"`
}

// NewHeldChange returns a hold as one of a record's changes.
func NewHeldChange(r store.Record, h store.Hold) HeldChange {
	v, _ := r.Variant(h.Variant)
	return HeldChange{r.ID, r.Title, h.Key(), h, v.Title}
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

// Held returns what is held of a kind, "" for all.
func (l *Local) Held(ctx context.Context, name string) (Held, error) {
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
				g.Since = max(g.Since, h.Since)
				all.Changes = append(all.Changes, NewHeldChange(r, h))
			}
		}
		if g.Changes > 0 {
			all.Groups = append(all.Groups, g)
		}
	}
	slices.SortStableFunc(all.Groups, func(a, b HeldGroup) int { return cmp.Compare(b.Since, a.Since) })
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
