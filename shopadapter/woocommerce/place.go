package woocommerce

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// A place is a category of the marketplace and the shop's category for it. A state remembers it, so
// that Review finds a new or remapped category without reading the product.
type place struct {
	Path string `json:"p,omitempty"`
	Name string `json:"n,omitempty"`
	ID   int64  `json:"i,omitempty"` // in the shop; 0: it had none

	Branch []shopadapter.Level `json:"b,omitempty"`
}

// findPlace is the shop's category for the product, 0 for none. It may be made where the product
// will be put there. The state remembers it.
func (w *write) findPlace(ctx context.Context, makes bool) (int64, error) {
	want := w.want.category
	id, err := w.a.categories.findOrMake(ctx, w.a, want, makes, w.ref.Asked)
	if err == nil {
		w.place = &place{Path: want.Path, Name: want.Name, Branch: want.Branch, ID: id}
	}
	return id, err
}

// Review names the category where the shop has another one for it today: one that was made since,
// one that the settings name now, or one that can be made for a product without any. It requests
// nothing but the list of the shop's categories, and only where that list is too old. A category
// that the shop no longer has moves nothing.
func (a *adapter) Review(ctx context.Context, ref shopadapter.Ref) (shopadapter.Fields, error) {
	s, known := readState(ref)
	switch {
	case !known:
		return shopadapter.NoFields, nil
	case s.Place == nil && ref.Asked: // left by a version that did not remember it
		return shopadapter.FieldCategory, nil
	case s.Place == nil:
		return shopadapter.NoFields, nil
	}
	if err := a.categories.trouble(); err != nil {
		return shopadapter.NoFields, err
	}
	want := shopadapter.Category{Path: s.Place.Path, Name: s.Place.Name, Branch: s.Place.Branch}
	got, err := a.categories.recent(ctx, a, want, ref.Asked)
	switch {
	case err != nil:
		return shopadapter.NoFields, err
	case got.id == 0 && s.Place.ID == 0 && a.categories.makable(want, got, ref.Asked),
		got.id != 0 && got.id != s.Place.ID:
		return shopadapter.FieldCategory, nil
	default:
		return shopadapter.NoFields, nil
	}
}

// ReviewedBy is a digest of what the settings say of categories, "" where they say nothing.
func (a *adapter) ReviewedBy() string {
	if len(a.categories.mapping) == 0 && a.categories.makes {
		return ""
	}
	var b strings.Builder
	if !a.categories.makes {
		b.WriteString("missing=" + missingWarned + "\n")
	}
	for _, path := range slices.Sorted(maps.Keys(a.categories.mapping)) {
		b.WriteString(path + "=" + a.categories.mapping[path] + "\n")
	}
	return stamp.Digest(b.String(), 8)
}
