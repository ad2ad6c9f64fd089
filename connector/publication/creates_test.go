package publication

import (
	"testing"

	"github.com/pubsync/pubsync/store"
)

// A listing counts as created when it comes on sale first, whatever an earlier try has left.
func TestCreates(t *testing.T) {
	failed := store.Problem{Kind: store.ProblemTransient}
	for _, tt := range []struct {
		name string
		r    store.Record
		want bool
	}{
		{"nothing is there", store.Record{}, true},
		{"a try failed", store.Record{Problem: failed}, true},
		{"a try failed and left a draft", store.Record{ShopID: "1", Problem: failed}, true},
		{"a rebuild found it", store.Record{ShopID: "1", OnSale: true}, false},
		{"a rebuild found it, and a try failed", store.Record{ShopID: "1", OnSale: true, Problem: failed}, false},
		{"it was written before", store.Record{ShopID: "1", WrittenAt: 5}, false},
		{"it was written before, and is hidden", store.Record{ShopID: "1", WrittenAt: 5, Problem: failed}, false},
	} {
		if got := (Decision{Step: Publish, start: tt.r, rec: tt.r}).Creates(); got != tt.want {
			t.Errorf("%s: %t, want %t", tt.name, got, tt.want)
		}
	}
}
