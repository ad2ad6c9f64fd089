package catalog

import (
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

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
