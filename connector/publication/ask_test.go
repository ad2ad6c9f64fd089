package publication

import (
	"slices"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
)

// A person who has failed publications retried means each state that is not as the supplier offers
// it, but for what a brake holds and what has left.
func TestRetryFailed(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	refused := &store.Report{ID: "p1", RefusedAt: store.At(now.Add(-time.Hour)), Refusals: 3}
	waits := &store.Report{ID: "p1"}
	failed := []store.State{store.StateRejected, store.StateBlocked, store.StatePending, store.StatePartial}
	for _, state := range store.States() {
		for _, row := range []struct {
			name   string
			owed   *store.Report
			remade bool
		}{{"no report", nil, false}, {"a report that waits", waits, false}, {"a refused report", refused, true}} {
			due := slices.Contains(failed, state)
			s := store.Settlement{Record: store.Record{ID: "p1", State: state, ShopID: "7"}}
			write := RetryFailed(&s, row.owed, "anna", now)
			if want := due || row.remade; write != want {
				t.Errorf("%s, %s: to be written %t, want %t", state, row.name, write, want)
			}
			if got := s.Next != nil; got != due {
				t.Errorf("%s, %s: due %t, want %t", state, row.name, got, due)
			}
			if got := s.Report != nil; got != row.remade {
				t.Errorf("%s, %s: report made again %t, want %t", state, row.name, got, row.remade)
			}
		}
	}
}

// An approval of one kind lets that kind through and leaves the others held.
func TestApproveKind(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	price := store.Hold{Kind: store.HoldPrice, Variant: "v", Old: "1.00", New: "2.00"}
	rules := store.Hold{Kind: store.HoldRules, Variant: "v", Old: "1.00", New: "2.00"}
	foreign, removal := store.Hold{Kind: store.HoldForeign}, store.Hold{Kind: store.HoldRemoval}
	for _, tt := range []struct {
		name     string
		holds    []store.Hold
		kind     store.HoldKind
		approved int
		gone     bool // the removal goes on
	}{
		{"prices", []store.Hold{price, {Kind: store.HoldPrice, Variant: "w"}}, store.HoldPrice, 2, false},
		{"prices of two kinds", []store.Hold{price, rules}, store.HoldPrice, 1, false},
		{"what another tool made", []store.Hold{foreign}, store.HoldForeign, 1, false},
		{"a removal", []store.Hold{removal}, store.HoldRemoval, 0, true},
		{"any kind of price", []store.Hold{price, rules}, "", 2, false},
		{"any kind of removal", []store.Hold{removal}, "", 0, true},
		{"another kind", []store.Hold{price}, store.HoldRemoval, 0, false},
		{"nothing held", nil, "", 0, false},
	} {
		r := store.Record{ID: "p", OnSale: true, ShopID: "1", Holds: tt.holds}
		if slices.Contains(tt.holds, removal) {
			r.Removal = store.Removal{Reason: store.RemovalAbsent}
		}
		s := store.Settlement{Record: r}
		found := Approve(&s, Choice{Group: string(tt.kind)}, store.ClassSweep, "anna", now)
		if want := tt.approved > 0 || tt.gone; found != want {
			t.Errorf("%s: found %t, want %t", tt.name, found, want)
		}
		if got := len(s.Record.Approved); got != tt.approved {
			t.Errorf("%s: %d approved, want %d", tt.name, got, tt.approved)
		}
		if got := s.Record.Removal.Go; got != tt.gone {
			t.Errorf("%s: the removal goes on %t, want %t", tt.name, got, tt.gone)
		}
		if got := s.Next != nil; got != found {
			t.Errorf("%s: due %t, want %t", tt.name, got, found)
		}
		if found && s.Next.Class != store.ClassSweep {
			t.Errorf("%s: due in class %v, want the one that was asked for", tt.name, s.Next.Class)
		}
	}
}

// History names who approved, for each kind of hold, and the name stays until it is carried out.
func TestApprovalIsRecorded(t *testing.T) {
	now := tableNow
	s := store.Settlement{Record: store.Record{ID: "p", Holds: []store.Hold{
		{Kind: store.HoldPrice, Variant: "v1", Old: "1.00", New: "9.00"},
		{Kind: store.HoldFirstPrice, Variant: "v2", New: "8.00"},
	}}}
	Approve(&s, Choice{}, store.ClassSweep, "anna", now)
	var told []string
	for _, e := range s.Record.History {
		told = append(told, Tell(e, s.Record))
	}
	want := []string{"approved by anna: price of v1 1.00 -> 9.00", "approved by anna: price of v2 8.00"}
	if !slices.Equal(told, want) {
		t.Errorf("got %q, want %q", told, want)
	}
	for _, by := range []string{"anna", "bob", "", "carl", "dora"} {
		Approve(&s, Choice{}, store.ClassSweep, by, now)
	}
	if got, want := s.Record.ApprovedBy, "anna, bob, carl"; got != want {
		t.Errorf("approved by %q, want %q", got, want)
	}
}
