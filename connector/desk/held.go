package desk

import (
	"cmp"
	"context"
	"encoding/base64"
	"iter"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// A HeldFilter chooses held changes. The zero HeldFilter chooses all.
type HeldFilter struct {
	Group  string `json:"group,omitempty"`  // a kind of hold, or the name of one of its groups; empty: all
	Search string `json:"search,omitempty"` // a part of the title, or of the id, in any case of letters
}

// kinds are the kinds of hold that may fit. An unknown group is ErrKind.
func (f HeldFilter) kinds() ([]store.HoldKind, error) {
	if f.Group == "" {
		return store.HoldKinds(), nil
	}
	kind, _, _ := strings.Cut(f.Group, "/")
	if !slices.Contains(store.HoldKinds(), store.HoldKind(kind)) {
		return nil, ErrKind
	}
	return []store.HoldKind{store.HoldKind(kind)}, nil
}

// finds reports whether a publication is one that is searched for.
func (f HeldFilter) finds(r store.Record) bool {
	search := strings.ToLower(f.Search)
	return strings.Contains(strings.ToLower(r.Title), search) || strings.Contains(strings.ToLower(r.ID), search)
}

// A HeldQuery chooses a page of held changes.
type HeldQuery struct {
	HeldFilter

	After string // the cursor of the page before; empty: the first page. Another text is ErrCursor
	Limit int    // changes of the page, at least 1
}

// Held is the held changes that a filter chooses: in groups, and a page of them with the newest
// first.
type Held struct {
	At      time.Time    `json:"at"` // of the reading
	Groups  []HeldGroup  `json:"groups"`
	Changes []HeldChange `json:"changes"`
	After   string       `json:"after"` // of the next page; empty at the end
}

// A HeldGroup is the held changes of one kind and cause.
type HeldGroup struct {
	Group        string         `json:"group"` // the name, such as price/supplier-up
	Kind         store.HoldKind `json:"kind"`
	What         string         `json:"what"`         // in words
	Publications int            `json:"publications"` // that have such a change
	Changes      int            `json:"changes"`
	Up           int            `json:"up"`   // prices that would rise
	Down         int            `json:"down"` // prices that would fall
	// Old and New are the sums of the prices as they are and as they would be, where there are any.
	Old     string    `json:"old,omitempty"`
	New     string    `json:"new,omitempty"`
	Largest string    `json:"largest,omitempty"` // the largest move of a price, in percent of the old one
	Since   time.Time `json:"since"`             // of the newest
	// Change is of a change of the rules of prices that is held as one: what it does in all, where
	// the group has the publications that have been looked at since.
	Change *publication.RulesChange `json:"change,omitempty"`
}

// A HeldChange is one held change of a publication.
type HeldChange struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	HeldNow
	Option string `json:"variantTitle,omitempty"`
}

// Held is the held changes that a query chooses. The first page reads each publication that has one,
// unless it was read just now. A page behind a cursor reads its own.
func (l *Local) Held(ctx context.Context, q HeldQuery) (Held, error) {
	after, err := base64.RawURLEncoding.DecodeString(q.After)
	if err != nil {
		return Held{}, ErrCursor
	}
	view, err := l.views.of(q.HeldFilter, q.After != "", func() (*heldView, error) { return l.view(ctx, q.HeldFilter) })
	if err != nil {
		return Held{}, err
	}
	all := Held{At: view.at, Groups: view.groups}
	all.Changes, all.After, err = l.heldPage(ctx, view.behind(string(after)), q.Limit)
	return all, err
}

func (l *Local) view(ctx context.Context, f HeldFilter) (*heldView, error) {
	view := &heldView{filter: f, at: time.Now().UTC(), groups: []HeldGroup{}}
	kinds, err := f.kinds()
	if err != nil {
		return nil, err
	}
	groups := map[string]*tally{}
	chosen := publication.Choice{Group: f.Group}
	for r, err := range l.held(ctx, kinds, f) {
		if err != nil {
			return nil, err
		}
		counted := map[string]bool{}
		for _, h := range r.Holds {
			if !chosen.Has(r, h) {
				continue
			}
			name := publication.GroupOf(r, h)
			if groups[name] == nil {
				groups[name] = &tally{group: HeldGroup{Group: name, Kind: h.Kind, What: groupWords[name]}}
			}
			groups[name].add(h, counted[name])
			counted[name] = true
			view.rows = append(view.rows, newHeldRow(r.ID, h))
		}
	}
	if g := groups[string(store.HoldRules)]; g != nil {
		if g.group.Change, err = l.rulesChange(ctx, true); err != nil {
			return nil, err
		}
	}
	for _, g := range groups {
		view.groups = append(view.groups, g.total())
	}
	sort.Slice(view.groups, func(i, j int) bool {
		a, b := &view.groups[i], &view.groups[j]
		return cmp.Or(b.Since.Compare(a.Since), cmp.Compare(a.Group, b.Group)) < 0
	})
	sort.Slice(view.rows, func(i, j int) bool { return view.rows[i].place < view.rows[j].place })
	return view, nil
}

// held ranges over the records with a hold of one of some kinds that a filter finds, each once.
func (l *Local) held(ctx context.Context, kinds []store.HoldKind, f HeldFilter) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		for i, kind := range kinds {
			before := func(h store.Hold) bool { return slices.Contains(kinds[:i], h.Kind) }
			for r, err := range store.Records(ctx, l.Store, store.Query{Key: store.KeyHold(kind)}) {
				if err == nil && (slices.ContainsFunc(r.Holds, before) || !f.finds(r)) {
					continue
				}
				if !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}

// groupWords says what each group is.
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

type tally struct {
	group HeldGroup
	sums  publication.Sums
}

func (t *tally) add(h store.Hold, again bool) {
	t.sums.Add(h)
	if !again {
		t.group.Publications++
	}
	if since := h.Since.Time(); since.After(t.group.Since) {
		t.group.Since = since
	}
}

func (t *tally) total() HeldGroup {
	g := t.group
	g.Changes, g.Up, g.Down = t.sums.Changes, t.sums.Up, t.sums.Down
	g.Old, g.New, g.Largest = t.sums.Old(), t.sums.New(), t.sums.Largest()
	return g
}
