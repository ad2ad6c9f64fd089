package vendure_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

// A product whose key was cleared is the publication's where its stamp, which is a field of its
// own, or the State says so. It is told, and taken back with the merchant's edits.
func TestAProductWithoutItsKey(t *testing.T) {
	for _, tc := range []struct {
		name       string
		cleared    []string
		state, own bool // the caller has the State; the product is the publication's
	}{
		{"the key, with the state", []string{"pubsyncId"}, true, true},
		{"the key, without the state", []string{"pubsyncId"}, false, true},
		{"both, with the state", []string{"pubsyncId", "pubsyncStamp"}, true, true},
		{"both, without the state", []string{"pubsyncId", "pubsyncStamp"}, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fake := newFakeShop(t)
			a := fake.open(t)
			p := lamp("p", 2)
			l := publish(t, a, p, shopadapter.AllFields)
			ref := shopadapter.Ref{Publication: p.ID, Listing: l.ID, OnSale: true}
			if tc.state {
				ref.State = l.State
			}
			cleared := map[string]any{}
			for _, field := range tc.cleared {
				cleared[field] = nil
			}
			if err := fake.office().Update(t.Context(), l.ID, map[string]any{"customFields": cleared}); err != nil {
				t.Fatal(err)
			}
			if err := fake.office().Edit(t.Context(), l.ID, shopadapter.FieldTitle); err != nil {
				t.Fatal(err)
			}
			mine := only(t, fake).In("en").Name
			_, err := a.Publish(t.Context(), ref, p, shopadapter.AllFields)
			if !tc.own {
				if !errors.Is(err, shopadapter.ErrGone) {
					t.Errorf("the error is %v, want ErrGone", err)
				}
				return
			}
			e := shopadapter.Explain(err)
			if e == nil || e.Kind != shopadapter.Blocked || !strings.Contains(e.Message, "«"+mine+"»") {
				t.Fatalf("the error is %v, want Blocked with the product's name", err)
			}
			ref.Asked, ref.Revive = true, true
			back, err := a.Publish(t.Context(), ref, p, shopadapter.AllFields)
			if err != nil || back.ID != l.ID || back.Kept != shopadapter.FieldTitle {
				t.Fatalf("asked for: the listing is %s, kept %s, %v", back.ID, back.Kept, err)
			}
			if got := only(t, fake); got.In("en").Name != mine || got.CustomFields.PubsyncID != string(p.ID) {
				t.Errorf("asked for: the product is %+v", got)
			}
			if l := publish(t, a, p, shopadapter.AllFields); l.Kept != shopadapter.FieldTitle {
				t.Errorf("once it was taken back %s is kept, want the title", l.Kept)
			}
		})
	}
}

// One that a person takes off sale has its key again: putting it back on sale makes no second one.
func TestAProductWithoutItsKeyIsWithdrawn(t *testing.T) {
	fake := newFakeShop(t)
	a := fake.open(t)
	p := lamp("p", 2)
	l := publish(t, a, p, shopadapter.AllFields)
	if err := fake.office().DeleteStamp(t.Context(), l.ID); err != nil {
		t.Fatal(err)
	}
	ref := shopadapter.Ref{Publication: p.ID, Listing: l.ID, State: l.State, Revive: true}
	if _, err := a.Unpublish(t.Context(), ref, shopadapter.TakeOffline); err != nil {
		t.Fatal(err)
	}
	if only(t, fake).Enabled {
		t.Error("the product is on sale still")
	}
	if again := publish(t, a, p, shopadapter.AllFields); again.ID != l.ID {
		t.Errorf("published again it is %s, want %s", again.ID, l.ID)
	}
}
