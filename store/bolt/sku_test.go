package bolt

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/storetest"
)

// begin claims, after having looked at what would be given, which must be the same.
func begin(t *testing.T, s *Store, id string, wants ...string) []string {
	t.Helper()
	var order []string
	skus := map[string]string{}
	for _, want := range wants {
		variant, sku, _ := strings.Cut(want, "=")
		order = append(order, variant)
		skus[variant] = sku
	}
	a := storetest.Attempt(id, order, skus)
	preview, err := store.PreviewSKUs(t.Context(), s, a)
	must(t, err)
	got, err := s.Begin(t.Context(), a)
	must(t, err)
	if !maps.Equal(preview, got) {
		t.Errorf("%s was promised %v and given %v", id, preview, got)
	}
	given := make([]string, len(order))
	for i, variant := range order {
		given[i] = got[variant]
	}
	return given
}

// written settles a write of these SKUs.
func written(t *testing.T, s *Store, id string, skus ...string) {
	t.Helper()
	r := store.Record{ID: id, State: "live"}
	for _, v := range skus {
		variant, sku, _ := strings.Cut(v, "=")
		r.Variants = append(r.Variants, store.Variant{ID: variant, SKU: sku})
	}
	settle(t, s, store.Settlement{Record: r})
}

func TestSKUsOfUnsettledAttempts(t *testing.T) {
	s := newStore(t)
	begin(t, s, "a", "v=A")
	begin(t, s, "a", "v=B") // the first answer was lost: the shop may hold either
	taken := func(sku string) bool {
		t.Helper()
		got, err := store.PreviewSKUs(
			t.Context(),
			s,
			storetest.Attempt("z", []string{"v"}, map[string]string{"v": sku}),
		)
		must(t, err)
		return got["v"] != sku
	}
	if !taken("A") || !taken("B") {
		t.Errorf("of an unsettled attempt: A taken %t, B %t", taken("A"), taken("B"))
	}
	must(t, s.Close())
	s = reopen(t, s.path)
	settle(t, s, store.Settlement{Record: store.Record{ID: "a", Attempted: 1}}) // a failed attempt settles nothing
	if !taken("A") || !taken("B") {
		t.Errorf("after a failure: A taken %t, B %t", taken("A"), taken("B"))
	}
	written(t, s, "a", "v=B")
	if taken("A") || !taken("B") {
		t.Errorf("after a write of B: A taken %t, B %t", taken("A"), taken("B"))
	}
	// the listing is no more, and the next attempt failed
	settle(t, s, store.Settlement{Record: store.Record{ID: "a", Attempted: 1}})
	if !taken("B") {
		t.Error("the SKU of an attempt was released")
	}
	if c := get(t, s, "a").Claims; !slices.Equal(c, []store.Claim{{Variant: "v", SKU: "B"}}) {
		t.Errorf("claims %v", c)
	}
	end := func(_ *store.Report, w *store.Settlement) bool { w.Record.Attempted = 0; return true }
	if n, err := store.Update(t.Context(), s, end, "a"); n != 1 || err != nil {
		t.Error(n, err)
	}
	if taken("B") || len(get(t, s, "a").Claims) != 0 {
		t.Errorf("nothing is attempted any more: B taken %t, claims %v", taken("B"), get(t, s, "a").Claims)
	}
}

func TestOpenClaimsAreListedOnce(t *testing.T) {
	before := store.Record{
		ID:       "a",
		Variants: []store.Variant{{ID: "v", SKU: "X"}, {ID: "w"}},
		Claims:   []store.Claim{{Variant: "v", SKU: "x"}, {Variant: "v", SKU: "Y"}, {Variant: "u", SKU: "X"}},
	}
	after := store.Record{ID: "a", Attempted: 1, Variants: []store.Variant{{ID: "v", SKU: "y"}}}
	open, _ := store.SplitClaims(before, after)
	if want := []store.Claim{{Variant: "v", SKU: "x"}, {Variant: "u", SKU: "X"}}; !slices.Equal(open, want) {
		t.Errorf("%v, want %v", open, want)
	}
}

func TestBeginNotes(t *testing.T) {
	s := newStore(t)
	_, err := s.Begin(t.Context(),
		store.Attempt{
			ID:     "a",
			Fields: 5,
			Apply:  func(r *store.Record) { r.State, r.ListedAt, r.ID = "pending", after(0), "b" },
		},
	)
	must(t, err)
	_, err = s.Begin(t.Context(), store.Attempt{ID: "a", Fields: 2})
	must(t, err)
	if r := get(t, s, "a"); r.Attempted != 7 || !r.Open || r.State != "pending" || r.ListedAt != after(0) {
		t.Errorf("%+v", r)
	}
	must(t, s.Close())
	if _, err := s.Begin(t.Context(), store.Attempt{ID: "a"}); !errors.Is(err, store.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}
