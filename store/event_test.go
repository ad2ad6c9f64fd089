package store_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/store"
)

func TestMoves(t *testing.T) {
	long := strings.Repeat("ä", 100)
	for _, tt := range []struct {
		name       string
		have, want []store.Move
	}{
		{"none", nil, nil},
		{"one", []store.Move{{Variant: "v1", Old: "1", New: "2"}}, []store.Move{{Variant: "v1", Old: "1", New: "2"}}},
		{
			"without a variant, and without values",
			[]store.Move{{Old: "a"}, {New: "b"}, {Variant: "v"}},
			[]store.Move{{Old: "a"}, {New: "b"}, {Variant: "v"}},
		},
		{
			"with what parts moves",
			[]store.Move{{Variant: "a\x1eb", Old: "c\x1fd", New: "e"}},
			[]store.Move{{Variant: "a b", Old: "c d", New: "e"}},
		},
		{
			"a long text is cut between characters",
			[]store.Move{{New: long}},
			[]store.Move{{New: strings.Repeat("ä", 46) + "…"}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var e store.Event
			if e.Moved, e.More = store.PackMoves(tt.have); e.More != 0 {
				t.Errorf("%d moves are left out, want none", e.More)
			}
			if got := e.Moves(); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
	var e store.Event
	e.Moved, e.More = store.PackMoves(slices.Repeat([]store.Move{{Variant: "v", Old: "1", New: "2"}}, 100))
	if kept := len(e.Moves()); kept+e.More != 100 || len(e.Moved) > 1000 {
		t.Errorf("of 100 moves %d are kept in %d bytes, and %d left out", kept, len(e.Moved), e.More)
	}
}

func TestRepeats(t *testing.T) {
	for _, tt := range []struct {
		name      string
		e, before store.Event
		want      bool
	}{
		{"the same line later", store.Event{At: 2, What: "a"}, store.Event{At: 1, What: "a"}, true},
		{"another line", store.Event{At: 2, What: "b"}, store.Event{At: 1, What: "a"}, false},
		{
			"the same change again",
			store.Event{At: 2, Kind: store.EventPrice, Moved: "a"},
			store.Event{At: 1, Kind: store.EventPrice, Moved: "a"},
			false,
		},
		{"approved by another", store.Event{At: 2, What: "a", By: "b"}, store.Event{At: 1, What: "a", By: "c"}, false},
	} {
		if got := tt.e.Repeats(tt.before); got != tt.want {
			t.Errorf("%s: got %t, want %t", tt.name, got, tt.want)
		}
	}
}
