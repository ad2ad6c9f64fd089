package stamp_test

import (
	"maps"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

func TestText(t *testing.T) {
	const both = shopadapter.FieldTitle | shopadapter.FieldDescription
	var last stamp.Text
	last.Wrote(shopadapter.Translation{Title: "lamp", Description: "old"})
	m := stamp.NewMerge(shopadapter.Ref{}, both)
	m.Ahead = true
	held := shopadapter.Translation{Title: "my lamp", Description: "old"}
	write := m.DecideText(
		shopadapter.FieldTitle,
		held,
		shopadapter.Translation{Title: "Lamp", Description: "new"},
		&last,
	)
	if !maps.Equal(write, map[string]any{"description": "new"}) || m.Kept() != shopadapter.FieldTitle {
		t.Errorf("writes %v, keeps %s", write, m.Kept())
	}
	if !last.Description.IsOwn(stamp.HashText("old"), true) || last.Description.IsOwn(stamp.HashText("old"), false) {
		t.Error("ahead of the write the shop may hold the old text, and only then")
	}
	last.Settle()
	if last.Description.IsOwn(stamp.HashText("old"), true) {
		t.Error("the old text is known after it was settled")
	}
	if !last.ReadBack(write, shopadapter.Translation{Title: "LAMP", Description: "NEW"}) ||
		!last.Description.IsOwn(stamp.HashText("NEW"), false) ||
		last.Title.IsOwn(stamp.HashText("LAMP"), false) {
		t.Errorf("read back as %s", stamp.Encode(last))
	}
	if last.ReadBack(write, shopadapter.Translation{Description: "NEW"}) {
		t.Error("the same text makes a difference")
	}
}
