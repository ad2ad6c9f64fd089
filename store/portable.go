package store

import (
	"context"
	"errors"
	"fmt"
	"iter"
)

// A Portable store can be copied to a store of any engine, with nothing changed.
type Portable interface {
	// Export ranges over all that the store holds, as it was at one moment, while others go on
	// writing. The items may be kept.
	Export(ctx context.Context) iter.Seq2[Item, error]
	// Import writes what another store exports. This one must be empty, else the error is
	// ErrNotEmpty. After another error a store in a database is empty as before, and a file is to
	// be thrown away.
	Import(ctx context.Context, items iter.Seq2[Item, error]) error
}

// ErrNotEmpty is the error of an import into a store that holds something.
var ErrNotEmpty = errors.New("store holds something already")

// An Item is one thing that a store holds.
type Item struct {
	Kind  ItemKind
	Key   string  // an id, the name of a fact or a cursor, or a SKU by SKUKey
	At    Instant // of a removal
	Value []byte  // of a SKU its owner, of what was met or removed nothing, else in the form of package value
}

// ItemKind is what an item is.
type ItemKind int

// The kinds of items.
const (
	ItemFact   ItemKind = iota
	ItemRecord          // of a known publication
	ItemLeft            // what is left of a forgotten one
	ItemMark            // with its generation
	ItemReport          // with its sequence
	ItemSKU             // that is claimed
	ItemCursor
	ItemSeen    // met by the enumeration under way
	ItemRemoved // taken out of sale lately
)

// Copy carries all that a store holds to an empty one, and returns how many publications it knows.
func Copy(ctx context.Context, from, to Reader) (publications int, err error) {
	source, ok := from.(Portable)
	target, too := to.(Portable)
	if !ok || !too {
		return 0, fmt.Errorf("copy store: a %T cannot be copied to a %T", from, to)
	}
	err = target.Import(ctx, func(yield func(Item, error) bool) {
		publications = 0
		for item, err := range source.Export(ctx) {
			if item.Kind == ItemRecord {
				publications++
			}
			if !yield(item, err) {
				return
			}
		}
	})
	return publications, err
}
