package publication

import (
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/store"
)

// A Webhook is what a webhook says. It is only a reason to look, and never believed.
type Webhook struct {
	Signed bool
	Event  string   // as its header names it
	Named  []string // publications that its body names by their ids
	// the updatedAt that it gives the publication, "" for none: a look that is shown less is repeated
	UpdatedAt string
}

// How soon after the last look that such webhooks led to another may lead to one.
const (
	SignedGap   = 10 * time.Second
	UnsignedGap = time.Minute
)

// Publications are those that a webhook leads to. known are the publications in the store of its
// ids, products and listings. A signed webhook may name a publication that is not known yet.
func (w Webhook) Publications(known []string) []string {
	if !w.Signed {
		return known
	}
	ids := slices.Clone(known)
	for _, id := range w.Named {
		if !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// Mark is the mark for a look at one of its publications at a time. Every event that names a
// publication leads to the same, be it new or known. A signed webhook that does not
// name the publication itself has the class of what a sweep finds: suppliers change far more than
// retailers pick.
func (w Webhook) Mark(id string, at time.Time) store.Mark {
	m := store.Mark{ID: id, Class: store.ClassHint, At: store.At(at)}
	switch {
	case !w.Signed:
	case slices.Contains(w.Named, id):
		m.Class, m.Seen = store.ClassHook, w.UpdatedAt
	default:
		m.Class = store.ClassSweep
	}
	return m
}

// Sweeps reports whether a webhook whose body names nothing leads to a light sweep. It does not
// where it is signed and of an event that has nothing to do with the list.
func (w Webhook) Sweeps() bool {
	return !w.Signed || strings.HasPrefix(w.Event, "PRODUCT") || strings.HasPrefix(w.Event, "PUBLICATION")
}
