package store_test

import (
	"testing"

	"github.com/pubsync/pubsync/store"
)

func TestRepeats(t *testing.T) {
	moved := []store.Change{{Field: "price", Old: "1", New: "2"}}
	for _, tt := range []struct {
		name      string
		e, before store.Event
		want      bool
	}{
		{"the same line later", store.Event{At: 2, What: "a"}, store.Event{At: 1, What: "a"}, true},
		{"another line", store.Event{At: 2, What: "b"}, store.Event{At: 1, What: "a"}, false},
		{"another try that failed", store.Event{What: "transient: b"}, store.Event{What: "transient: a"}, true},
		{
			"the same change again",
			store.Event{At: 2, What: store.WhatUpdated, Changes: moved},
			store.Event{At: 1, What: store.WhatUpdated, Changes: moved},
			false,
		},
		{"approved by another", store.Event{At: 2, What: "a", By: "b"}, store.Event{At: 1, What: "a", By: "c"}, false},
	} {
		if got := tt.e.Repeats(tt.before); got != tt.want {
			t.Errorf("%s: got %t, want %t", tt.name, got, tt.want)
		}
	}
}
