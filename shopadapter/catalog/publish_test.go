package catalog

import (
	"os"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

func TestPublishUnchangedWritesNothing(t *testing.T) {
	rows := []struct {
		name    string
		changed shopadapter.Fields
		change  func(*shopadapter.Product)
		touch   func(t *testing.T, c *catalog)
	}{
		{"the same", shopadapter.AllFields, nil, nil},
		{"the same, nothing said to be changed", shopadapter.NoFields, nil, nil},
		{
			"only the marketplace's date moved",
			shopadapter.AllFields,
			func(p *shopadapter.Product) { p.UpdatedAt = "2027-01-01T00:00:00Z" },
			nil,
		},
		{
			"only what the retailer pays moved",
			shopadapter.AllFields,
			func(p *shopadapter.Product) { p.Variants[0].Cost = "1.00" },
			nil,
		},
		{
			"another price that is not said to be changed",
			shopadapter.FieldStock,
			func(p *shopadapter.Product) { p.Variants[0].Price = "1.00" },
			nil,
		},
		{"the merchant laid the file out anew", shopadapter.AllFields, nil, func(t *testing.T, c *catalog) {
			edit(t, c, "a", func(map[string]any) {})
		}},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			c := newShop(t, t.TempDir())
			p := bench("a")
			put(t, c, p)
			if row.touch != nil {
				row.touch(t, c)
			}
			path := []string{c.folder.abs(recordPath(fileName("a"))), c.folder.abs(pagePath(fileName("a")))}
			old := time.Now().Add(-time.Hour).Truncate(time.Second)
			for _, path := range path {
				if err := os.Chtimes(path, old, old); err != nil {
					t.Fatal(err)
				}
			}
			if row.change != nil {
				row.change(&p)
			}
			putRef(t, c, shopadapter.Ref{Publication: "a"}, p, row.changed)
			for _, path := range path {
				if info, err := os.Stat(path); err != nil || !info.ModTime().Equal(old) {
					t.Errorf("%s: got it written again (%v), want it left alone", path, err)
				}
			}
		})
	}
}

// Bytes that JSON cannot hold come back changed. That must not look like the merchant's doing, nor
// as a change.
func TestInvalidUTF8IsNoEdit(t *testing.T) {
	c := newShop(t, t.TempDir())
	p := bench("a\x00b")
	p.Title, p.Description, p.Category.Name = "\xff\xfe title", "<p>\xc3</p>", "caf\xe9"
	put(t, c, p)
	before := files(t, c)[recordPath(fileName(p.ID))]
	put(t, c, p)
	if files(t, c)[recordPath(fileName(p.ID))] != before {
		t.Error("the same product: got it written twice, want once")
	}
	p.Title = "\xfd other"
	if listing := put(t, c, p); listing.Kept != 0 {
		t.Errorf("kept: got %s, want none", listing.Kept)
	}
	for listed, err := range c.List(t.Context(), shopadapter.Query{}) {
		if err != nil || listed.Ref.Publication != p.ID {
			t.Errorf("listed: got %q, %v, want %q", listed.Ref.Publication, err, p.ID)
		}
	}
}

func kindOf(err error) shopadapter.Kind {
	if err == nil {
		return -1
	}
	return shopadapter.Explain(err).Kind
}
