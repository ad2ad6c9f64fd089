package skeleton

import (
	"cmp"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// A Candidate is what Pick has to know of a product that carries the publication's stamp.
type Candidate struct {
	ID       string
	Complete bool // the stamp says that the product was complete once
	// it is out of sale, was never complete, and is as its stamp says: nobody has worked on it
	Untouched bool
}

// Pick chooses among the products that carry one publication's stamp. There is one, as a rule. Of
// several the one to go on with is one that was complete, then the one that the caller knows, then
// the first. strays are the others that only a late creation can have made: a shop that worked on a
// call after its caller had given up, and the caller's next try, leave one each.
func Pick[P any](ref shopadapter.Ref, found []*P, about func(*P) Candidate) (own *P, strays []string) {
	rank := func(p *P) int {
		switch c := about(p); {
		case c.Complete:
			return 0
		case c.ID == string(ref.Listing):
			return 1
		}
		return 2
	}
	found = slices.Clone(found)
	slices.SortStableFunc(found, func(p, q *P) int { return cmp.Compare(rank(p), rank(q)) })
	for i, p := range found {
		if c := about(p); i == 0 {
			own = p
		} else if c.Untouched && !c.Complete {
			strays = append(strays, c.ID)
		}
	}
	return own, strays
}
