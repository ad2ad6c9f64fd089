package alert

import (
	"slices"
	"strings"
	"time"
)

const (
	quiet    = time.Hour   // between two alerts of one cause
	resolved = time.Minute // for which a cause must be gone before it is called resolved
)

// A book is what a receiver was told: cause -> entry.
type book map[string]*entry

type entry struct {
	Said time.Time `json:"said"`           // when it was told last
	Text string    `json:"text"`           // what was told then
	Open bool      `json:"open,omitempty"` // it was told, and not that it is resolved
	Gone time.Time `json:"gone,omitzero"`  // since when it has not been met
}

// next returns the book after a look that found some causes, and what is to be told of it: causes
// that are new, or have changed since they were told an hour ago, and texts of causes that are gone.
// It is pure: the book it is called on stays as it is.
func (b book) next(found []Cause, now time.Time) (after book, fresh, gone []string) {
	after = book{}
	for key, e := range b {
		c := *e
		after[key] = &c
	}
	for _, c := range found {
		e := after[c.Key]
		if e == nil {
			e = &entry{}
			after[c.Key] = e
		}
		e.Gone = time.Time{}
		if now.Sub(e.Said) >= quiet && (!e.Open || e.Text != c.Text) {
			e.Said, e.Text, e.Open = now, c.Text, true
			fresh = append(fresh, c.Text)
		}
	}
	for key, e := range after {
		switch met := slices.ContainsFunc(found, func(c Cause) bool { return c.Key == key }); {
		case met:
		case e.Open && e.Gone.IsZero():
			e.Gone = now
		case e.Open && now.Sub(e.Gone) >= resolved:
			e.Open = false
			gone = append(gone, e.Text)
		case !e.Open && now.Sub(e.Said) >= quiet:
			delete(after, key)
		}
	}
	slices.SortFunc(gone, strings.Compare)
	return after, fresh, gone
}
