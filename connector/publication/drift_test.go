package publication

import (
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

func TestDriftOf(t *testing.T) {
	const since = 1000
	live := store.Record{ID: "p1", ShopID: "1", WrittenAt: 10, OnSale: true}
	with := func(change func(*store.Record)) store.Record {
		r := live
		change(&r)
		return r
	}
	hidden := with(func(r *store.Record) {
		r.OnSale, r.Problem = false, store.Problem{Kind: store.ProblemBlocked, Hidden: true, Last: 20}
	})
	gone := with(func(r *store.Record) {
		r.OnSale, r.Attempted, r.Open, r.Problem = false, 255, true, store.Problem{
			Kind: store.ProblemBlocked,
			Gone: true,
			Last: 20,
		}
	})
	for _, tt := range []struct {
		name                string
		r                   store.Record
		absent, off, onSale Drift // where the shop does not list it, lists it as not on sale, as on sale
	}{
		{"live", live, DriftGone, DriftHidden, DriftNone},
		{
			"partial", with(func(r *store.Record) { r.Missing = []store.Picture{{URL: "https://i/1"}} }), DriftGone, DriftHidden,
			DriftNone,
		},
		{"hidden by hand", hidden, DriftNone, DriftNone, DriftShown},
		{"deleted by hand", gone, DriftNone, DriftNone, DriftShown},
		{
			"hidden since", with(func(r *store.Record) { *r = hidden; r.Problem.Last = since }), DriftNone, DriftNone,
			DriftNone,
		},
		{"written since", with(func(r *store.Record) { r.WrittenAt = since }), DriftNone, DriftNone, DriftNone},
		{"never written", with(func(r *store.Record) { r.WrittenAt = 0 }), DriftNone, DriftNone, DriftNone},
		{"being written", with(func(r *store.Record) { r.Attempted, r.Open = 32, true }), DriftNone, DriftNone, DriftNone},
		{"leaving", with(func(r *store.Record) { r.Removal.Reason = store.RemovalAbsent }), DriftNone, DriftNone, DriftNone},
		{"withdrawn", with(func(r *store.Record) {
			r.OnSale, r.Removal = false, store.Removal{Reason: store.RemovalAbsent, Done: true}
		}), DriftNone, DriftNone, DriftNone},
		{
			"rejected", with(func(r *store.Record) { r.OnSale, r.Problem = false, store.Problem{Kind: store.ProblemRejected} }),
			DriftNone, DriftNone, DriftNone,
		},
	} {
		for _, c := range []struct {
			listed, onSale bool
			want           Drift
		}{{false, false, tt.absent}, {true, false, tt.off}, {true, true, tt.onSale}} {
			if got := DriftOf(tt.r, shopadapter.Listing{OnSale: c.onSale}, c.listed, since); got != c.want {
				t.Errorf("%s, listed %t, on sale %t: %s, want %s", tt.name, c.listed, c.onSale, got, c.want)
			}
		}
	}
}

// One missing listing is believed deleted, very many are not.
func TestBelievesGone(t *testing.T) {
	brake := brakeOf(t, "50", "20")
	for _, tt := range []struct {
		name            string
		missing, onSale int
		want            bool
	}{
		{"none is missing", 0, 100, true},
		{"one of many", 1, 100, true},
		{"the only one", 1, 1, true},
		{"both of two", 2, 2, false},
		{"ten of eleven", 10, 11, true},
		{"a fifth", 20, 100, true},
		{"more than a fifth", 21, 100, false},
		{"all", 100, 100, false},
	} {
		if got := brake.BelievesGone(tt.missing, tt.onSale); got != tt.want {
			t.Errorf("%s: %d of %d are believed deleted: %t, want %t", tt.name, tt.missing, tt.onSale, got, tt.want)
		}
	}
}

// The address that the shop lists takes the place of the known one, but where that would show customers a private name.
func TestMovesTo(t *testing.T) {
	const public, private = "https://shop.example/p/1", "http://10.0.0.7:8080/p/1"
	for _, tt := range []struct {
		known, listed string
		want          bool
	}{
		{public, "https://shop.example/other/1", true},
		{public, "https://SHOP.example:443/p/1/", false},
		{public, private, false},
		{public, "http://localhost/p/1", false},
		{public, "http://shop/p/1", false},
		{private, public, true},
		{private, "http://10.0.0.8/p/1", true},
		{"", private, true},
		{public, "", false},
		{public, "/p/1", false},
	} {
		if got := movesTo(tt.known, tt.listed); got != tt.want {
			t.Errorf("from %q to %q: got %t, want %t", tt.known, tt.listed, got, tt.want)
		}
	}
}
