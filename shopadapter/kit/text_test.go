package kit_test

import (
	"maps"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
)

func TestText(t *testing.T) {
	const both = shopadapter.FieldTitle | shopadapter.FieldDescription
	last := kit.WrittenText(shopadapter.Translation{Title: "lamp", Description: "old"})
	before := last
	m := kit.NewMerge(shopadapter.Ref{}, both)
	held := shopadapter.Translation{Title: "my lamp", Description: "old"}
	if last.Holds(held) || !last.Holds(shopadapter.Translation{Title: "lamp", Description: "old"}) {
		t.Error("another title counts as the one that was written")
	}
	write := m.DecideText(
		shopadapter.FieldTitle, held, shopadapter.Translation{Title: "Lamp", Description: "new"}, &last,
	)
	if !maps.Equal(write, map[string]any{"description": "new"}) || m.Kept() != shopadapter.FieldTitle {
		t.Errorf("writes %v, keeps %s", write, m.Kept())
	}
	ahead := before.Then(last)
	if !ahead.Description.IsOwn(kit.HashText("old"), true) || ahead.Description.IsOwn(kit.HashText("old"), false) {
		t.Error("ahead of the write the shop may hold the old text, and only then")
	}
	if last.Description.IsOwn(kit.HashText("old"), true) {
		t.Error("the old text is known after it was settled")
	}
	if !last.ReadBack(write, shopadapter.Translation{Title: "LAMP", Description: "NEW"}) ||
		!last.Description.IsOwn(kit.HashText("NEW"), false) || last.Title.IsOwn(kit.HashText("LAMP"), false) {
		t.Errorf("read back as %s", kit.Encode(last))
	}
	if last.ReadBack(write, shopadapter.Translation{Description: "NEW"}) {
		t.Error("the same text makes a difference")
	}
}

// A name in another language than the product's own belongs to the description, and one edited text
// of a group is enough.
func TestCompareText(t *testing.T) {
	own := shopadapter.Translation{Title: "Lamp", Description: "<p>A lamp.</p>"}
	last := kit.WrittenText(own)
	var c kit.Comparison
	c.CompareText(shopadapter.FieldTitle, own, last)
	if c.Edited != shopadapter.NoFields {
		t.Errorf("edited is %s, want none", c.Edited)
	}
	c.CompareText(shopadapter.FieldDescription, shopadapter.Translation{Title: "L", Description: own.Description}, last)
	if c.Edited != shopadapter.FieldDescription {
		t.Errorf("edited is %s, want description", c.Edited)
	}
	if want := shopadapter.FieldTitle | shopadapter.FieldDescription; c.Compared != want {
		t.Errorf("compared is %s, want %s", c.Compared, want)
	}
}

func TestCompareValues(t *testing.T) {
	wrote := kit.Values{"weight": kit.HashText("1").Exact}
	for _, row := range []struct {
		name             string
		held             string
		last             kit.Values
		compared, edited bool
	}{
		{"as it was written", "1", wrote, true, false},
		{"edited", "9", wrote, true, true},
		{"emptied", "", wrote, true, true},
		{"never written", "9", nil, false, false},
	} {
		var c kit.Comparison
		c.CompareValues(shopadapter.FieldDetails, map[string]string{"weight": row.held, "origin": ""}, row.last)
		if got := c.Compared == shopadapter.FieldDetails; got != row.compared {
			t.Errorf("%s: compared: got %t, want %t", row.name, got, row.compared)
		}
		if got := c.Edited == shopadapter.FieldDetails; got != row.edited {
			t.Errorf("%s: edited: got %t, want %t", row.name, got, row.edited)
		}
	}
}
