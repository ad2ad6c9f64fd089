package publication

import (
	"testing"

	"github.com/pubsync/pubsync/store"
)

// A listing that an adapter does not touch by itself is its own again once a person, who was told of
// that, asks for the publication.
func TestAListingIsTakenBackWhenAPersonAsks(t *testing.T) {
	blocked := store.Problem{Kind: store.ProblemBlocked}
	for _, tt := range []struct {
		name  string
		cause store.Cause
		r     store.Record
		want  bool
	}{
		{"a person asks", store.CauseAsked, store.Record{Problem: blocked}, true},
		{"a sweep", store.CauseRead, store.Record{Problem: blocked}, false},
		{"nobody was told", store.CauseAsked, store.Record{}, false},
		{
			"a person approves a change", store.CauseAsked,
			store.Record{Problem: blocked, Approved: []store.Hold{{Kind: store.HoldPrice}}},
			false,
		},
	} {
		d := Decision{mark: store.Mark{Cause: tt.cause}, start: tt.r, rec: tt.r}
		if got := d.Ref().Revive; got != tt.want {
			t.Errorf("%s: got %t, want %t", tt.name, got, tt.want)
		}
	}
}
