package dry

import (
	"context"
	"errors"
	"iter"
	"maps"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

// reader is an adapter that lists, and whose writes fail the test.
type reader struct {
	shopadapter.Adapter
	listed []shopadapter.Listed
	fails  error
}

func (r reader) Listings(context.Context) iter.Seq2[shopadapter.Listed, error] {
	return func(yield func(shopadapter.Listed, error) bool) {
		for _, l := range r.listed {
			if !yield(l, nil) {
				return
			}
		}
		if r.fails != nil {
			yield(shopadapter.Listed{}, r.fails)
		}
	}
}

// listings are the ids that a shop lists, each with whether it is on sale.
func listings(t *testing.T, shop shopadapter.Adapter) (map[string]bool, error) {
	t.Helper()
	got := map[string]bool{}
	for l, err := range shop.(shopadapter.Lister).Listings(t.Context()) {
		if err != nil {
			return got, err
		}
		got[string(l.Ref.Publication)] = l.OnSale
	}
	return got, nil
}

func ref(id, listing string) shopadapter.Ref {
	return shopadapter.Ref{Publication: shopadapter.PublicationID(id), Listing: shopadapter.ListingID(listing)}
}

// What a plan did shows in the lists that follow, as it would in the shop.
func TestListingsShowWhatThePlanDid(t *testing.T) {
	real := reader{listed: []shopadapter.Listed{
		{Ref: ref("stays", "1"), OnSale: true}, {Ref: ref("leaves", "2"), OnSale: true}, {Ref: ref("returns", "3")},
	}}
	shop := NewShop(ReadsOf(real), newStore(t, "stays", "leaves", "returns", "new"))
	for _, r := range []shopadapter.Ref{ref("returns", "3"), ref("new", "")} {
		if _, err := shop.Publish(t.Context(), r, shopadapter.Product{}, shopadapter.AllFields); err != nil {
			t.Fatal(err)
		}
	}
	if err := shop.Unpublish(t.Context(), ref("leaves", "2"), shopadapter.TakeOffline); err != nil {
		t.Fatal(err)
	}
	got, err := listings(t, shop)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{"stays": true, "leaves": false, "returns": true, "new": true}
	if !maps.Equal(got, want) {
		t.Errorf("lists %v, want %v", got, want)
	}
}

// A listing is gone where a complete list lacks it, and only there.
func TestAListingThatTheListLacksIsGone(t *testing.T) {
	broken := errors.New("the list breaks off")
	for _, tt := range []struct {
		name    string
		fails   error
		listing string
		want    error
	}{
		{"it is listed", nil, "1", nil},
		{"it is not listed", nil, "2", shopadapter.ErrGone},
		{"it was never made", nil, "", nil},
		{"the list breaks off", broken, "2", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			real := reader{listed: []shopadapter.Listed{{Ref: ref("1", "1"), OnSale: true}}, fails: tt.fails}
			shop := NewShop(ReadsOf(real), newStore(t, "1", "2"))
			if _, err := listings(t, shop); !errors.Is(err, tt.fails) {
				t.Fatalf("the list ends with %v, want %v", err, tt.fails)
			}
			id := tt.listing
			if id == "" {
				id = "2"
			}
			_, err := shop.Publish(t.Context(), ref(id, tt.listing), shopadapter.Product{}, shopadapter.AllFields)
			if !errors.Is(err, tt.want) {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
}

// A listing keeps its address: a plan owes no report that a run would not owe.
func TestAListingKeepsItsAddress(t *testing.T) {
	shop := NewShop(Reads{}, newStore(t, "1"))
	for listing, want := range map[string]string{"1": addressOf("1"), "": "https://planned.invalid/"} {
		l, err := shop.Publish(t.Context(), ref("1", listing), shopadapter.Product{}, shopadapter.AllFields)
		if err != nil || l.URL != want {
			t.Errorf("listing %q: got address %q and %v, want %q", listing, l.URL, err, want)
		}
	}
}

// A shop answers as an adapter does that lacks what the real one lacks.
func TestAShopThatCannotBeAsked(t *testing.T) {
	shop := NewShop(Reads{}, newStore(t))
	if _, err := listings(t, shop); !errors.Is(err, shopadapter.ErrNoList) {
		t.Errorf("a list: got %v, want %v", err, shopadapter.ErrNoList)
	}
	if err := shop.(shopadapter.Checker).Check(t.Context()); err != nil {
		t.Errorf("a check: got %v, want none", err)
	}
	if currency, err := shop.(shopadapter.Pricer).Currency(t.Context()); currency != "" || err != nil {
		t.Errorf("a currency: got %q and %v, want none", currency, err)
	}
	if fields, err := shop.(shopadapter.Reviewer).Review(t.Context(), ref("1", "1")); fields != 0 || err != nil {
		t.Errorf("a review: got %v and %v, want none", fields, err)
	}
	if shopadapter.RestockerOf(t.Context(), shop) != nil {
		t.Error("it accepts figures alone, want that it does not")
	}
	if _, ok := shop.(shopadapter.Taxer); ok {
		t.Error("it has a word on taxes, want none")
	}
}

// The functions that are kept of an adapter are those that read.
func TestReadsOf(t *testing.T) {
	if r := ReadsOf(reader{}); r.Listings == nil || r.Check != nil || r.Review != nil || r.Prices != nil {
		t.Errorf("of an adapter that lists: got %+v, want the list alone", r)
	}
}
