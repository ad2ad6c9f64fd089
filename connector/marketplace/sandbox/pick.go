package sandbox

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// one is the publication that an order names, or one that the marketplace picks.
func (m *Marketplace) one(o Order) (string, error) {
	switch len(o.IDs) {
	case 0:
		return m.pick()
	case 1:
		if _, ok := m.Publication(o.IDs[0]); !ok {
			return "", notListed(o.IDs[0])
		}
		return o.IDs[0], nil
	default:
		return "", fmt.Errorf("it takes one publication, not %d", len(o.IDs))
	}
}

// pick chooses a publication that can be sold: one that is on sale where there is one, and none of
// except where there is another.
func (m *Marketplace) pick(except ...string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var sound, onSale, others []string
	for _, r := range m.byID {
		if !r.Listing.sellable() {
			continue
		}
		sound = append(sound, r.ID)
		if r.Status == statusSuccess {
			onSale = append(onSale, r.ID)
			if !slices.Contains(except, r.ID) {
				others = append(others, r.ID)
			}
		}
	}
	for _, better := range [][]string{onSale, others} {
		if len(better) > 0 {
			sound = better
		}
	}
	if len(sound) == 0 {
		return "", errors.New("the import list has no product that can be sold")
	}
	return sound[m.choice.IntN(len(sound))], nil
}

// sellable reports whether a shop can take the listing: it has a title, and each variant a price
// and a cost.
func (l *Listing) sellable() bool {
	if l == nil || len(l.Variants) == 0 || l.anyTitle() == "" {
		return false
	}
	return !slices.ContainsFunc(l.Variants, func(v Variant) bool { return v.MSRP == "" || v.Cost == "" })
}

// anyTitle is the listing's title in the first language that has one.
func (l *Listing) anyTitle() string {
	for _, language := range []string{"en", "nl", "de", "fr"} {
		if title := l.Texts[language].Title; title != "" {
			return title
		}
	}
	return ""
}

// removed lists the publications that were taken off the list, the latest first.
func (m *Marketplace) removed() []string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	var gone []*record
	for _, r := range m.records {
		if r.gone {
			gone = append(gone, r)
		}
	}
	slices.SortFunc(gone, func(a, b *record) int { return compareUpdate(b, a) })
	ids := make([]string, len(gone))
	for i, r := range gone {
		ids[i] = r.ID
	}
	return ids
}

// title is a publication in words: its title, or its id where it has none.
func (m *Marketplace) title(id string) string {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if r := m.records[id]; r != nil && r.Listing != nil {
		if title := r.Listing.anyTitle(); title != "" {
			return "“" + title + "”"
		}
	}
	return id
}

func (m *Marketplace) titles(ids []string) string {
	titles := make([]string, len(ids))
	for i, id := range ids {
		titles[i] = m.title(id)
	}
	return strings.Join(titles, ", ")
}
