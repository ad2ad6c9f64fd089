package sandbox

import (
	"errors"
	"fmt"
	"slices"
)

func (m *Marketplace) orderRemove(o Order) ([]string, string, error) {
	ids := o.IDs
	if len(ids) == 0 {
		id, err := m.one(o)
		if err != nil {
			return nil, "", err
		}
		ids = []string{id}
	}
	for _, id := range ids {
		if _, ok := m.Publication(id); !ok {
			return nil, "", notListed(id)
		}
	}
	said := "the retailer takes " + m.titles(ids) + " off the import list"
	m.Remove(ids...)
	return ids, said, nil
}

func (m *Marketplace) orderRelist(o Order) ([]string, string, error) {
	gone := m.removed()
	ids := o.IDs
	switch {
	case len(ids) == 0 && len(gone) == 0:
		return nil, "", errors.New("no publication was removed")
	case len(ids) == 0:
		ids = gone[:1]
	}
	for _, id := range ids {
		if !slices.Contains(gone, id) {
			return nil, "", fmt.Errorf("publication %q was not removed", id)
		}
	}
	m.Restore(ids...)
	return ids, "the retailer imports " + m.titles(ids) + " again", nil
}
