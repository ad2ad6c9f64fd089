package publication

import (
	"slices"
	"time"

	"github.com/pubsync/pubsync/store"
)

// MetaVisits is the fact of the store that holds Visits.
const MetaVisits = "visits"

// Visits is what is known of the pages of products as a visitor sees them.
type Visits struct {
	// Owed is publications whose page is to be visited: mostOwed of them at the most, which a process
	// left that ended.
	Owed []string `json:"owed,omitempty"`
	// Wrong is pages that show a visitor something else than the product: mostWrong of them at the
	// most.
	Wrong []WrongPage `json:"wrong,omitempty"`
}

const (
	mostOwed  = 500
	mostWrong = 100
)

// A WrongPage is the page of a publication that shows a visitor something else.
type WrongPage struct {
	ID  string    `json:"id"`
	URL string    `json:"url"`
	Saw string    `json:"saw"` // in words
	At  time.Time `json:"at"`
}

// Leave records the publications that are still to be visited.
func (v *Visits) Leave(ids []string) { v.Owed = ids[:min(len(ids), mostOwed)] }

// Record takes in what was seen of a publication's page. It reports whether that is news.
func (v *Visits) Record(p WrongPage) bool {
	i := slices.IndexFunc(v.Wrong, func(w WrongPage) bool { return w.ID == p.ID })
	switch {
	case p.Saw == "" && i < 0, p.Saw != "" && i < 0 && len(v.Wrong) >= mostWrong:
		return false
	case p.Saw == "":
		v.Wrong = slices.Delete(v.Wrong, i, i+1)
	case i < 0:
		v.Wrong = append(v.Wrong, p)
	default:
		v.Wrong[i] = p
	}
	return true
}

// ToVisit is the address of a publication's page that no visitor has seen yet, "" where there is
// none. beforeReport says that it is to be seen before the marketplace is told of it.
func ToVisit(r store.Record, beforeReport bool) string {
	reported := r.Reported == store.StatusSuccess && (r.ReportedURL == "" || r.ReportedURL == r.URL)
	if !r.OnSale || !isWebAddress(r.URL) || r.Visit.URL == r.URL || !beforeReport && !reported {
		return ""
	}
	return r.URL
}

// Visited records what a visitor saw. It reports whether there is something to write.
func Visited(s *store.Settlement, v store.Visit) bool {
	if !s.Record.OnSale || s.Record.URL != v.URL {
		return false // it has moved since
	}
	s.Record.Visit = v
	return true
}
