package kit

import (
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
)

// A PlaceKind is one kind of place where an adapter sells: a sales channel, a location of stock.
type PlaceKind[P any] struct {
	Name    string // for example "stock location"
	Setting string // the variable that chooses one
	None    string // what to say where the shop has none
	// by which the merchant may know one: the name that is shown first, then other names and ids
	Names func(P) []string
	Clean func(string) string
}

// Choose is the place that has the wanted name, in any case. Where none is wanted it is the only
// one. An error says what the merchant has to do.
func (k PlaceKind[P]) Choose(list []P, wanted string) (P, error) {
	var names []string
	for _, p := range list {
		all := k.Names(p)
		if wanted != "" && slices.ContainsFunc(all, func(name string) bool { return strings.EqualFold(name, wanted) }) {
			return p, nil
		}
		names = append(names, all[0])
	}
	known := k.Clean(strings.Join(names, ", "))
	switch {
	case len(list) == 0:
		return *new(P), shopadapter.Block("%s", k.None).Everywhere()
	case wanted != "":
		return *new(P), shopadapter.Block("the shop has no such %s: set %s to the name or the id of one (%s)",
			k.Name, k.Setting, known).Everywhere()
	case len(list) > 1:
		return *new(P), shopadapter.Block("the shop has %d %ss: choose one with %s (%s)",
			len(list), k.Name, k.Setting, known).Everywhere()
	}
	return list[0], nil
}
