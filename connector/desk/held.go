package desk

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// kindsOf is the kinds that a group is of: every kind for "".
func kindsOf(group string) ([]store.HoldKind, error) {
	if group == "" {
		return store.HoldKinds(), nil
	}
	kind, _, _ := strings.Cut(group, "/")
	if !slices.Contains(store.HoldKinds(), store.HoldKind(kind)) {
		return nil, ErrKind
	}
	return []store.HoldKind{store.HoldKind(kind)}, nil
}

type HeldQuery struct {
	Group string // a kind of hold, or the name of one of its groups; empty: all
	Limit int    // changes beside their groups: so many, which may be some seconds old; 0: all as they are now
}

// Held is the held changes of a query: in groups, and one by one.
type Held struct {
	At      time.Time    `json:"at"` // of the reading
	Groups  []HeldGroup  `json:"groups"`
	Changes []HeldChange `json:"changes"`
}

type HeldGroup struct {
	Group        string         `json:"group"` // the name, such as price/supplier-up
	Kind         store.HoldKind `json:"kind"`
	What         string         `json:"what"`         // in words
	Publications int            `json:"publications"` // that have such a change
	publication.Sums
	Since time.Time `json:"since"` // of the newest
}

type HeldChange struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	HeldNow
	Option string `json:"variantTitle,omitempty"`
}

func (l *Local) Held(ctx context.Context, q HeldQuery) (Held, error) {
	kinds, err := kindsOf(q.Group)
	switch {
	case err != nil:
		return Held{}, err
	case q.Limit == 0:
		return l.gather(ctx, kinds, q)
	}
	return l.held.Of(q, memoFresh, func() (Held, error) { return l.gather(ctx, kinds, q) })
}

// choose ranges over the records with holds of these kinds and the group. It leaves no others in them.
func (l *Local) choose(ctx context.Context, kinds []store.HoldKind, group string) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		choice := publication.Choice{Group: group}
		for _, kind := range kinds {
			stands := func(h store.Hold) bool { return h.Kind == kind && h.Stands() }
			for r, err := range store.Records(ctx, l.Store, store.Query{Key: store.KeyHold(kind)}) {
				if r.Holds = choice.Of(r, stands); (err != nil || len(r.Holds) > 0) && !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}

func (l *Local) gather(ctx context.Context, kinds []store.HoldKind, q HeldQuery) (Held, error) {
	all := Held{At: time.Now().UTC(), Groups: []HeldGroup{}, Changes: []HeldChange{}}
	groups, counted := map[string]*HeldGroup{}, map[string]string{} // group -> the last publication of it
	for r, err := range l.choose(ctx, kinds, q.Group) {
		if err != nil {
			return all, err
		}
		for _, h := range r.Holds {
			name := publication.GroupOf(h)
			g := groups[name]
			if g == nil {
				g = &HeldGroup{Group: name, Kind: h.Kind, What: groupWords[name]}
				groups[name] = g
			}
			g.Add(h)
			if counted[name] != r.ID {
				counted[name] = r.ID
				g.Publications++
			}
			if since := h.Since.Time(); since.After(g.Since) {
				g.Since = since
			}
			if q.Limit == 0 || len(all.Changes) < q.Limit {
				v, _ := r.Variant(h.Variant)
				all.Changes = append(all.Changes, HeldChange{
					ID: r.ID, Title: r.Title, HeldNow: heldNow(r, h), Option: v.Title,
				})
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

// An Answer is what a person says of held changes: of publications by their ids, or else of each of a group.
type Answer struct {
	// Decline keeps what is in place of the changes, and does not ask again until they are others. Else
	// they are let through: the values that are held, no other.
	Decline bool     `json:"decline,omitempty"`
	IDs     []string `json:"ids,omitempty"`
	// Holds are the keys of the changes that were shown of one publication, see [HeldNow.Key]: where
	// one is held no more the error is ErrHold, and nothing is changed. Without any, all are meant.
	Holds []string `json:"holds,omitempty"`
	Group string   `json:"group,omitempty"` // a kind of hold, or the name of one of its groups; empty: all
	All   bool     `json:"all,omitempty"`   // says that no group means all
	// At is when the changes were shown, by [Held.At]: what is held since is not meant. The zero
	// time leaves nothing out.
	At time.Time `json:"at,omitzero"`
}

func (l *Local) Answer(ctx context.Context, a Answer) (asked Asked, err error) {
	kinds, err := kindsOf(a.Group)
	if err != nil {
		return asked, err
	}
	now, by, named := time.Now(), ActorOf(ctx), len(a.IDs) > 0
	ids, choice := a.IDs, publication.Choice{Group: a.Group, Until: store.At(a.At), Keys: a.Holds}
	if named {
		ids, asked.Unknown, err = l.known(ctx, ids)
	} else {
		ids, err = idsOf(l.choose(ctx, kinds, a.Group))
	}
	if err != nil {
		return asked, err
	}
	n, err := l.Store.Change(ctx, unique(ids), func(e *store.Entry) bool {
		class := publication.Together(e.Record)
		if named {
			class = store.ClassAsked
		}
		switch {
		case !e.Known:
			return false
		case a.Decline:
			return publication.Decline(e, choice, class, by, now)
		}
		return publication.Approve(e, choice, class, by, now)
	})
	l.held.Forget()
	l.Worker.Wake()
	if asked.Count = n; err == nil && n == 0 && len(a.Holds) > 0 && len(ids) > 0 {
		err = ErrHold
	}
	return asked, err
}

const (
	memoFresh = 10 * time.Second
	// memoShare bounds the making to a twentieth of one processor.
	memoShare = 20
)

// A Memo keeps what was made for one key, for the next who ask for the same. The zero Memo is empty.
type Memo[K comparable, V any] struct {
	mu    sync.Mutex
	key   K
	value V
	until time.Time // zero: it holds nothing
}

// Of is the value of a key, made anew where it is older than fresh. Others wait meanwhile. No error is kept.
func (m *Memo[K, V]) Of(key K, fresh time.Duration, make func() (V, error)) (V, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	begun := time.Now()
	if m.key == key && begun.Before(m.until) {
		return m.value, nil
	}
	value, err := make()
	if err != nil {
		return value, err
	}
	m.key, m.value = key, value
	m.until = time.Now().Add(max(fresh, memoShare*time.Since(begun)))
	return value, nil
}

func (m *Memo[K, V]) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.until = time.Time{}
}
