package desk

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
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

// Held is the held changes that a query chooses. It reads each publication that has one.
func (l *Local) Held(ctx context.Context, q HeldQuery) (Held, error) {
	all := Held{At: time.Now().UTC(), Groups: []HeldGroup{}, Changes: []HeldChange{}}
	kinds, err := q.kinds()
	if err != nil {
		return all, err
	}
	after, err := base64.RawURLEncoding.DecodeString(q.After)
	if err != nil {
		return all, ErrCursor
	}
	groups := map[string]*tally{}
	page := heldPage{after: string(after), limit: q.Limit}
	chosen := publication.Choice{Group: q.Group}
	for r, err := range l.held(ctx, kinds, q.HeldFilter) {
		if err != nil {
			return all, err
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
			page.add(r, h)
		}
	}
	if g := groups[string(store.HoldRules)]; g != nil {
		if g.group.Change, err = l.rulesChange(ctx, true); err != nil {
			return all, err
		}
	}
	for _, g := range groups {
		all.Groups = append(all.Groups, g.total())
	}
	sort.Slice(all.Groups, func(i, j int) bool {
		a, b := &all.Groups[i], &all.Groups[j]
		return cmp.Or(b.Since.Compare(a.Since), cmp.Compare(a.Group, b.Group)) < 0
	})
	all.Changes, all.After = page.done()
	return all, nil
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

// A tally is a group with the sums of its changes.
type tally struct {
	group HeldGroup
	sums  publication.Sums
}

// add counts a change; again says that one of the same publication was counted before.
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

// A heldPage is the newest changes behind a cursor.
type heldPage struct {
	after string
	limit int
	rows  []heldRow
}

type heldRow struct {
	place  string
	change HeldChange
}

// add offers a change. At most twice the page is kept.
func (p *heldPage) add(r store.Record, h store.Hold) {
	// newest first: the place sorts the other way round
	place := fmt.Sprintf("%016x %s %s %s", uint64(store.Latest-h.Since), r.ID, h.Kind, h.Variant)
	if place <= p.after {
		return
	}
	row := heldRow{place, HeldChange{ID: r.ID, Title: r.Title, HeldNow: heldNow(r, h), Option: titleOf(r, h.Variant)}}
	if p.rows = append(p.rows, row); len(p.rows) > 2*(p.limit+1) {
		p.cut()
	}
}

func (p *heldPage) cut() {
	sort.Slice(p.rows, func(i, j int) bool { return p.rows[i].place < p.rows[j].place })
	p.rows = p.rows[:min(len(p.rows), p.limit+1)]
}

func (p *heldPage) done() (changes []HeldChange, after string) {
	p.cut()
	changes = []HeldChange{}
	for i, row := range p.rows {
		if i == p.limit {
			return changes, base64.RawURLEncoding.EncodeToString([]byte(p.rows[i-1].place))
		}
		changes = append(changes, row.change)
	}
	return changes, ""
}

// titleOf is the title of a record's variant, "" where it has none, or is not known yet.
func titleOf(r store.Record, variant string) string {
	for _, v := range r.Variants {
		if v.ID == variant {
			return v.Title
		}
	}
	return ""
}
