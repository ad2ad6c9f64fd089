package publication

import (
	"slices"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/store"
)

// mostDeliveries bounds the groups of countries of which a record keeps the costs.
const mostDeliveries = 100

// TermsOf are the supplier's terms of a listing of which nothing is recorded.
func TermsOf(l *marketplace.Listing) store.Terms {
	return newMapper(Rules{}, Brake{}).terms(l, store.Terms{})
}

// terms are the supplier's terms of a listing. A part that could not be read is as it was read
// last.
func (m *mapper) terms(l *marketplace.Listing, last store.Terms) store.Terms {
	t := store.Terms{Known: true, Branch: last.Branch, Rootless: last.Rootless, Delivery: last.Delivery}
	if !slices.Contains(l.Unread, marketplace.UnreadCategory) {
		t.Branch, t.Rootless = m.branch(l.Category, last)
	}
	if slices.Contains(l.Unread, marketplace.UnreadShipping) {
		return t
	}
	t.Delivery = nil
	for _, s := range l.Shipping[:min(len(l.Shipping), mostDeliveries)] {
		t.Delivery = append(t.Delivery, store.Delivery{
			Group: m.clean.Line(s.CountryGroup, maxLine),
			Costs: figureText(s.FixedCosts),
			Days:  m.clean.Line(s.EstimatedDays, maxLine),
		})
	}
	return t
}

// branch is the paths of a listing's category and of those above it. Where the marketplace's tree
// could not be read, those above the same category are as they were read last.
func (m *mapper) branch(c marketplace.Category, last store.Terms) (paths []string, rootless bool) {
	own := m.clean.Line(c.Path, maxLine)
	switch {
	case own == "":
		return nil, false
	case len(c.Branch) > 0:
		for _, n := range c.Branch {
			paths = append(paths, m.clean.Line(n.Path, maxLine))
		}
		return paths, false
	case len(last.Branch) > 0 && last.Branch[len(last.Branch)-1] == own && !last.Rootless:
		return last.Branch, false
	default:
		return []string{own}, true
	}
}
