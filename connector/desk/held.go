package desk

import (
	"cmp"
	"context"
	"encoding/base64"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/rules"
	"github.com/pubsync/pubsync/store"
)

// A HeldFilter chooses held changes. The zero HeldFilter chooses all.
type HeldFilter struct {
	Group  string `json:"group,omitempty"`  // a kind of hold, or the name of one of its groups; empty: all
	Search string `json:"search,omitempty"` // a part of the title, or of the id, in any case of letters
}

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

func (f HeldFilter) finds(r store.Record) bool {
	search := strings.ToLower(f.Search)
	return strings.Contains(strings.ToLower(r.Title), search) || strings.Contains(strings.ToLower(r.ID), search)
}

type HeldQuery struct {
	HeldFilter

	After string // the cursor of the page before; empty: the first page. Another text is ErrCursor
	Limit int    // changes of the page, at least 1
}

// Held is the held changes that a filter chooses: in groups, and a page of them.
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

type HeldChange struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	HeldNow
	Option string `json:"variantTitle,omitempty"`
}

// Held is the held changes that a query chooses. The groups may be some seconds old.
func (l *Local) Held(ctx context.Context, q HeldQuery) (all Held, err error) {
	kinds, err := q.kinds()
	if err != nil {
		return all, err
	}
	counted, err := l.groups.Of(q.HeldFilter, memoFresh, func() (grouped, error) {
		return l.grouped(ctx, kinds, q.HeldFilter)
	})
	if err != nil {
		return all, err
	}
	all = Held{At: counted.at, Groups: counted.groups}
	all.Changes, all.After, err = l.heldPage(ctx, kinds, q)
	return all, err
}

// heldPage ends behind a publication, and so may have some changes more than were asked for.
func (l *Local) heldPage(ctx context.Context, kinds []store.HoldKind, q HeldQuery) ([]HeldChange, string, error) {
	cursor, err := base64.RawURLEncoding.DecodeString(q.After)
	word, place, _ := strings.Cut(string(cursor), " ")
	from := store.HoldKind(word)
	if err != nil || from != "" && !slices.Contains(store.HoldKinds(), from) {
		return nil, "", ErrCursor
	}
	changes, chosen := []HeldChange{}, publication.Choice{Group: q.Group}
	for _, kind := range kinds[max(slices.Index(kinds, from), 0):] {
		if kind != from {
			place = ""
		}
		query := store.Query{Key: store.KeyHold(kind), After: place}
		for r, err := range store.Records(ctx, l.Store, query) {
			if err != nil {
				return nil, "", err
			}
			if len(changes) >= q.Limit {
				return changes, base64.RawURLEncoding.EncodeToString([]byte(string(kind) + " " + place)), nil
			}
			place, _ = query.Place(r)
			for _, h := range chosen.Of(r, store.Hold.Stands) {
				if h.Kind == kind && q.finds(r) {
					v, _ := r.Variant(h.Variant)
					changes = append(changes, HeldChange{ID: r.ID, Title: r.Title, HeldNow: heldNow(r, h), Option: v.Title})
				}
			}
		}
	}
	return changes, "", nil
}

type grouped struct {
	at     time.Time
	groups []HeldGroup
}

func (l *Local) grouped(ctx context.Context, kinds []store.HoldKind, f HeldFilter) (grouped, error) {
	all := grouped{at: time.Now().UTC(), groups: []HeldGroup{}}
	sums, last, chosen := map[string]*publication.Sums{}, map[string]string{}, publication.Choice{Group: f.Group}
	groups := map[string]*HeldGroup{}
	for r, err := range l.held(ctx, kinds, f) {
		if err != nil {
			return all, err
		}
		for _, h := range chosen.Of(r, store.Hold.Stands) {
			name := publication.GroupOf(h)
			g := groups[name]
			if g == nil {
				g = &HeldGroup{Group: name, Kind: h.Kind, What: groupWords[name]}
				groups[name], sums[name] = g, &publication.Sums{}
			}
			sums[name].Add(h)
			if last[name] != r.ID {
				g.Publications, last[name] = g.Publications+1, r.ID
			}
			if since := h.Since.Time(); since.After(g.Since) {
				g.Since = since
			}
		}
	}
	for name, g := range groups {
		of := sums[name]
		g.Changes, g.Up, g.Down, g.Old, g.New, g.Largest = of.Changes, of.Up, of.Down, of.Old, of.New, of.Largest
		if g.Kind == store.HoldRules {
			var err error
			if g.Change, err = l.rulesChange(ctx, true); err != nil {
				return all, err
			}
		}
		all.groups = append(all.groups, *g)
	}
	slices.SortFunc(all.groups, func(a, b HeldGroup) int {
		return cmp.Or(b.Since.Compare(a.Since), cmp.Compare(a.Group, b.Group))
	})
	return all, nil
}

// held ranges over the records with a hold of one of some kinds that a filter finds, each once.
func (l *Local) held(ctx context.Context, kinds []store.HoldKind, f HeldFilter) iter.Seq2[store.Record, error] {
	return func(yield func(store.Record, error) bool) {
		for i, kind := range kinds {
			before := func(h store.Hold) bool { return h.Stands() && slices.Contains(kinds[:i], h.Kind) }
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

// An Answer is what a person says of held changes: of publications by their ids, or else of each that
// the filter chooses.
type Answer struct {
	// Decline keeps what is in place of the changes, and does not ask again until they are others. Else
	// they are let through: the values that are held, no other.
	Decline bool     `json:"decline,omitempty"`
	IDs     []string `json:"ids,omitempty"`
	// Holds are the keys of the changes that were shown of one publication, see [HeldNow.Key]: where
	// one is held no more the error is ErrHold, and nothing is changed. Without any, all are meant.
	Holds []string `json:"holds,omitempty"`
	HeldFilter
	// At is when the changes were shown, by [Held.At]: what is held since is not meant. The zero
	// time leaves nothing out.
	At time.Time `json:"at,omitzero"`
}

func (l *Local) Answer(ctx context.Context, a Answer) (asked Asked, err error) {
	kinds, err := a.kinds()
	if err != nil {
		return asked, err
	}
	chosen := publication.Choice{Group: a.Group, Until: store.At(a.At), Keys: a.Holds}
	class, ids := publication.Together, a.IDs
	if len(ids) > 0 {
		class = func(store.Record) store.Class { return store.ClassAsked }
		ids, asked.Unknown, err = l.known(ctx, ids)
	} else {
		if a.Search == "" && slices.Contains(kinds, store.HoldRules) { // a change of the rules that is held as one
			verdict := store.RulingApproved
			if a.Decline {
				verdict = store.RulingDeclined
			}
			asked.Count, _, err = rules.Decide(ctx, l.Store, verdict, ActorOf(ctx), time.Now())
		}
		if err == nil {
			ids, err = idsOf(l.held(ctx, kinds, a.HeldFilter), func(r store.Record) string {
				if len(chosen.Of(r, store.Hold.Stands)) == 0 {
					return ""
				}
				return r.ID
			})
		}
	}
	if err != nil {
		return asked, err
	}
	now, by := time.Now(), ActorOf(ctx)
	n, err := l.Store.Change(ctx, ids, func(e *store.Entry) bool {
		switch {
		case !e.Known:
			return false
		case a.Decline:
			return publication.Decline(e, chosen, class(e.Record), by, now)
		}
		return publication.Approve(e, chosen, class(e.Record), by, now)
	})
	l.groups.Forget()
	if l.Worker != nil {
		l.Worker.Wake()
	}
	if asked.Count += n; err == nil && n == 0 && len(a.Holds) > 0 && len(ids) > 0 {
		err = ErrHold
	}
	return asked, err
}
