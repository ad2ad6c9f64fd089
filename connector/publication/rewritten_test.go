package publication

import (
	"slices"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A setting of the adapter that decides what is written has each listing written again by it.
func TestSettingsOfTheAdapterAreFollowed(t *testing.T) {
	const name = "PUBSYNC_TOYSHOP_DELIVERY"
	book := func(digest string) Rulebook {
		p := Settings{}
		if digest != "" {
			p.Writes = map[string]Writing{name: {Fields: shopadapter.FieldShipping, Digest: digest}}
		}
		return p.Rulebook(map[string]string{})
	}
	for _, tt := range []struct {
		name          string
		before, after string
		want          shopadapter.Fields
	}{
		{"the same", "shown", "shown", shopadapter.NoFields},
		{"another", "shown", "hidden", shopadapter.FieldShipping},
		{"a setting that is new", "", "hidden", shopadapter.NoFields},
		{"a setting that is gone", "shown", "", shopadapter.NoFields},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := book(tt.after).Revise(book(tt.before), true)
			if v.Written != tt.want {
				t.Errorf("to be written: %s, want %s", v.Written, tt.want)
			}
			if v.Unasked {
				t.Error("prices move though nobody asked, want them to stay")
			}
			if named := slices.Contains(v.Set, name); named != (tt.want != 0) {
				t.Errorf("the settings that have changed are %v", v.Set)
			}
			s := store.Settlement{Record: store.Record{
				ID: "p1", OnSale: true, WrittenAt: 1, Variants: []store.Variant{{ID: "v1", Price: "1.00"}},
			}}
			v.Apply(&s, time.Unix(100, 0))
			if s.Record.Attempted != tt.want {
				t.Errorf("owed to the shop: %s, want %s", s.Record.Attempted, tt.want)
			}
			if due := s.Next != nil; due != (tt.want != 0) {
				t.Errorf("due: %t, want %t", due, tt.want != 0)
			}
		})
	}
}
