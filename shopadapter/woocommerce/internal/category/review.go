package category

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// A Chosen is a category of the marketplace and the shop's category for it. A state remembers it,
// so that a review finds a new or remapped category without reading the product.
type Chosen struct {
	Path string `json:"p,omitempty"`
	Name string `json:"n,omitempty"`
	ID   int64  `json:"i,omitempty"` // in the shop; 0: it had none

	Branch []shopadapter.Level `json:"b,omitempty"`
	// the category is the branch itself, and stays so whatever the merchant calls it
	Same bool `json:"s,omitempty"`
}

func (l *Chosen) category() shopadapter.Category {
	return shopadapter.Category{Path: l.Path, Name: l.Name, Branch: l.Branch}
}

// of reports whether the choice is a branch's own category, and the branch is that of a category of
// the marketplace's.
func (l *Chosen) of(want shopadapter.Category) bool {
	return l != nil && l.Same && l.ID > 0 && l.Path == want.Path && slices.Equal(l.Branch, want.Branch)
}

// remember has other products of the branch find the category of a choice. The caller holds mu.
func (c *Finder) remember(l *Chosen) {
	if l == nil || !l.Same || !c.tree.has(l.ID) {
		return
	}
	names := l.category().Names()
	c.known[words.FoldNames(names)] = l.ID
	above := []int64{}
	for at := c.tree.parent[l.ID]; at != 0 && len(above) < len(names); at = c.tree.parent[at] {
		above = append(above, at)
	}
	if len(above) != len(names)-1 {
		return // the merchant moved it, and what is above it now is not the branch
	}
	for i, id := range above {
		c.known[words.FoldNames(names[:len(names)-1-i])] = id
	}
}

// was is the category that a branch was, while the shop has it. The caller holds mu.
func (c *Finder) was(names []string) int64 {
	if id := c.known[words.FoldNames(names)]; len(names) > 0 && c.tree.has(id) {
		return id
	}
	return 0
}

// before is was.
func (c *Finder) before(names []string) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.was(names)
}

// Choose is the shop's category for one of the marketplace's, with no ID where there is none. It
// may be made where makes says so. asked: a person waits. last is the choice before, nil for none.
func (c *Finder) Choose(
	ctx context.Context, want shopadapter.Category, last *Chosen, makes, asked bool,
) (*Chosen, error) {
	id, same, err := c.Find(ctx, want, last, makes, asked)
	if err != nil {
		return nil, err
	}
	return &Chosen{Path: want.Path, Name: want.Name, Branch: want.Branch, ID: id, Same: same}, nil
}

// Deleted reports whether the shop has none of the categories that a hash tells of. The list is
// read where it is too old.
func (c *Finder) Deleted(ctx context.Context, last stamp.Hash) (bool, error) {
	if last.Exact == "" {
		return false, nil
	}
	if read := c.When(); time.Since(read) >= listedFor {
		if err := c.Load(ctx, read); err != nil {
			return false, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for number := range strings.SplitSeq(last.Exact, ",") {
		if id, err := strconv.ParseInt(number, 10, 64); err != nil || c.tree.has(id) {
			return false, nil //nolint:nilerr // a hash of another form tells of no category
		}
	}
	return true, nil
}

// Review reports whether the shop has another category for a choice today: one that was made since,
// one that the settings name now, or one that can be made where there was none, or where somebody
// deleted it. It requests nothing but the list of the shop's categories, and only where that list
// is too old.
func (c *Finder) Review(ctx context.Context, last *Chosen, asked bool) (moves bool, err error) {
	if err := c.trouble(); err != nil {
		return false, err
	}
	want := last.category()
	got, err := c.recent(ctx, want, last, asked)
	switch {
	case err != nil:
		return false, err
	case got.id > 0:
		return got.id != last.ID, nil
	}
	return !c.has(last.ID) && c.makable(want, got, asked), nil
}

// has reports whether the shop has a category.
func (c *Finder) has(id int64) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tree.has(id)
}

// Digest is one of what the settings say of categories, "" where they say nothing.
func (c *Finder) Digest() string {
	if len(c.mapping) == 0 && c.makes {
		return ""
	}
	var b strings.Builder
	if !c.makes {
		b.WriteString("missing=" + string(Warned) + "\n")
	}
	for _, path := range slices.Sorted(maps.Keys(c.mapping)) {
		b.WriteString(path + "=" + c.mapping[path] + "\n")
	}
	return stamp.Digest(b.String(), 8)
}
