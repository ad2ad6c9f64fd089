package publication

import (
	"slices"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
)

// A signed webhook leads to what it names and to what is known; an unsigned one to what is known
// alone.
func TestWebhookLeadsToPublications(t *testing.T) {
	for _, tt := range []struct {
		name         string
		signed       bool
		named, known []string
		want         []string
	}{
		{"signed, not known yet", true, []string{"p1"}, nil, []string{"p1"}},
		{"signed, of a product that is known", true, nil, []string{"p1", "p2"}, []string{"p1", "p2"}},
		{"signed, both", true, []string{"p1", "p3"}, []string{"p1", "p2"}, []string{"p1", "p2", "p3"}},
		{"signed, named twice", true, []string{"p1", "p1"}, nil, []string{"p1"}},
		{"unsigned, not known yet", false, []string{"p1"}, nil, nil},
		{"unsigned, known", false, []string{"p1"}, []string{"p1"}, []string{"p1"}},
	} {
		w := Webhook{Signed: tt.signed, Named: tt.named}
		if got := w.Publications(tt.known); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// The known ids belong to the caller.
func TestWebhookLeavesTheKnownAlone(t *testing.T) {
	known := make([]string, 1, 2)
	known[0] = "p1"
	Webhook{Signed: true, Named: []string{"p2"}}.Publications(known)
	if got := known[:2][1]; got != "" {
		t.Errorf("got %q written behind the known ids, want nothing", got)
	}
}

func TestWebhookMark(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, tt := range []struct {
		name   string
		signed bool
		named  []string
		class  store.Class
		cause  store.Cause
	}{
		{"signed, and names it", true, []string{"p1"}, store.ClassHook, store.CauseSigned},
		{"signed, and names its product", true, nil, store.ClassSweep, store.CauseSigned},
		{"signed, and names another", true, []string{"p2"}, store.ClassSweep, store.CauseSigned},
		{"unsigned, and names it", false, []string{"p1"}, store.ClassHint, store.CauseUnsigned},
		{"unsigned, and names its product", false, nil, store.ClassHint, store.CauseUnsigned},
	} {
		want := store.Mark{ID: "p1", Class: tt.class, Cause: tt.cause, At: store.At(at)}
		if got := (Webhook{Signed: tt.signed, Named: tt.named}).Mark("p1", at); got != want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, want)
		}
	}
}

func TestWebhookSweeps(t *testing.T) {
	for _, tt := range []struct {
		signed bool
		event  string
		want   bool
	}{
		{true, "PRODUCT_UPDATED", true},
		{true, "PUBLICATION_CREATED", true},
		{true, "ORDER_PLACED", false},
		{true, "", false},
		{false, "ORDER_PLACED", true}, // whoever sends it may give it any name
		{false, "", true},
	} {
		if got := (Webhook{Signed: tt.signed, Event: tt.event}).Sweeps(); got != tt.want {
			t.Errorf("signed %t, event %q: %t, want %t", tt.signed, tt.event, got, tt.want)
		}
	}
}
