package category

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// A Chosen is a category of the marketplace and the shop's category for it. A state remembers it,
// so that a review finds a new or remapped category without reading the product.
type Chosen struct {
	Path string `json:"p,omitempty"`
	Name string `json:"n,omitempty"`
	ID   int64  `json:"i,omitempty"` // in the shop; 0: it had none

	Branch []shopadapter.Level `json:"b,omitempty"`
}

// Choose is the shop's category for one of the marketplace's, with no ID where there is none. It
// may be made where makes says so. asked: a person waits.
func (c *Finder) Choose(ctx context.Context, want shopadapter.Category, makes, asked bool) (*Chosen, error) {
	id, err := c.Find(ctx, want, makes, asked)
	if err != nil {
		return nil, err
	}
	return &Chosen{Path: want.Path, Name: want.Name, Branch: want.Branch, ID: id}, nil
}

// Review reports whether the shop has another category for a choice today: one that was made since,
// one that the settings name now, or one that can be made where there was none. It requests nothing
// but the list of the shop's categories, and only where that list is too old. A category that the
// shop no longer has moves nothing.
func (c *Finder) Review(ctx context.Context, last *Chosen, asked bool) (moves bool, err error) {
	if err := c.trouble(); err != nil {
		return false, err
	}
	want := shopadapter.Category{Path: last.Path, Name: last.Name, Branch: last.Branch}
	got, err := c.recent(ctx, want, asked)
	if err != nil {
		return false, err
	}
	return got.id == 0 && last.ID == 0 && c.makable(want, got, asked) || got.id != 0 && got.id != last.ID, nil
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
