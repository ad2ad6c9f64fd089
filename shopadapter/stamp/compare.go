package stamp

import (
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// A Comparison is what an observation tells of a product's texts: which groups were compared with
// what was last written, and which of them hold something else. Unlike a Merge it writes nothing
// and keeps nothing.
type Comparison struct {
	Compared, Edited shopadapter.Fields

	Unsure bool // the outcome of the last write is not known, see Written.IsOwn
}

// Compare adds one text of a group: held is what the shop has, last the note of the last write.
func (c *Comparison) Compare(group shopadapter.Fields, held Hash, last Written) {
	c.Compared |= group
	if last.IsMerchants() || !last.IsOwn(held, c.Unsure) {
		c.Edited |= group
	}
}

// CompareText is Compare for a title and a description. The title belongs to the given group, the
// description to its own.
func (c *Comparison) CompareText(title shopadapter.Fields, held shopadapter.Translation, last Text) {
	c.Compare(title, HashText(held.Title), last.Title)
	c.Compare(shopadapter.FieldDescription, HashText(held.Description), last.Description)
}

// Without is what was written of a list and is not held, where the list is otherwise as it was
// written. ok is false for any other list: somebody has added to it, or moved what it holds.
func Without(written, held []string) (gone []string, ok bool) {
	for _, one := range written {
		if len(held) > 0 && held[0] == one {
			held = held[1:]
		} else {
			gone = append(gone, one)
		}
	}
	return slices.Clip(gone), len(held) == 0
}
