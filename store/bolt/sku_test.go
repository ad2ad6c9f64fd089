package bolt

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/store"
)

// begin claims, after having looked at what would be given, which must be the same.
func begin(t *testing.T, s *Store, id string, wants ...string) []string {
	t.Helper()
	a := store.Attempt{ID: id, Fields: 1, SKUs: map[string]string{}}
	for _, want := range wants {
		variant, sku, _ := strings.Cut(want, "=")
		a.Order = append(a.Order, variant)
		a.SKUs[variant] = sku
	}
	preview, err := store.PreviewSKUs(t.Context(), s, store.Attempt{ID: id, Order: a.Order, SKUs: a.SKUs})
	must(t, err)
	got, err := s.Begin(t.Context(), a)
	must(t, err)
	if !maps.Equal(preview, got) {
		t.Errorf("%s was promised %v and given %v", id, preview, got)
	}
	var skus []string
	for _, variant := range a.Order {
		skus = append(skus, got[variant])
	}
	return skus
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

func TestSKUClaims(t *testing.T) {
	s := newStore(t)
	expect := func(step string, got []string, want ...string) {
		t.Helper()
		for i, w := range want {
			if base, suffix := strings.CutSuffix(w, "*"); got[i] != w &&
				(!suffix || !strings.HasPrefix(got[i], base+"-") || len(got[i]) != len(base)+7) {
				t.Errorf("%s: %v, want %v", step, got, want)
				return
			}
		}
	}
	expect("free", begin(t, s, "a", "v=Planter-1", "w=Planter-2", "x="), "Planter-1", "Planter-2", "")
	written(t, s, "a", "v=Planter-1", "w=Planter-2", "x=")
	expect("its own again", begin(t, s, "a", "v=Planter-1", "w=Planter-2"), "Planter-1", "Planter-2")

	first := begin(t, s, "b", "v=PLANTER-1", "w=other")
	expect("another's, in other letters", first, "PLANTER-1*", "other")
	written(t, s, "b", "v="+first[0], "w=other")
	if again := begin(t, s, "b", "v=PLANTER-1", "w=other"); !slices.Equal(again, first) {
		t.Errorf("the suffix changed from %v to %v", first, again)
	}
	settle(t, s, store.Settlement{Record: store.Record{ID: "a"}, Forget: true})
	if again := begin(t, s, "b", "v=PLANTER-1", "w=other"); !slices.Equal(again, first) {
		t.Errorf("the suffix changed from %v to %v when the other went", first, again)
	}
	expect("released", begin(t, s, "c", "v=planter-1"), "planter-1")

	expect("two of one call, in its order", begin(t, s, "d", "z=Twin", "y=twin", "x=TWIN"), "Twin", "twin*", "TWIN*")
	expect("and again", begin(t, s, "d", "x=TWIN", "y=twin", "z=Twin"), "TWIN*", "twin*", "Twin")
}

func TestSKUsWithinAPublication(t *testing.T) {
	for _, tt := range []struct {
		name       string
		held, want []string // variant=SKU
		got        string
	}{
		{"a variant in place of another", []string{"v=A"}, []string{"w=A"}, "A"},
		{"swapped", []string{"v=A", "w=B"}, []string{"v=B", "w=A"}, "B A"},
		{"handed on", []string{"v=A", "w=B"}, []string{"v=B", "w=C"}, "B C"},
		{"given up", []string{"v=A", "w=B"}, []string{"v=", "w=A"}, " A"},
		{"the longer one of a sibling", []string{"v=AB", "w=C"}, []string{"v=A", "w=AB"}, "A AB"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newStore(t)
			begin(t, s, "a", tt.held...)
			written(t, s, "a", tt.held...)
			got := begin(t, s, "a", tt.want...)
			if strings.Join(got, " ") != tt.got {
				t.Errorf("%v", got)
			}
			written(t, s, "a", tt.want...)
			if got := begin(t, s, "a", tt.want...); strings.Join(got, " ") != tt.got {
				t.Errorf("again %v", got)
			}
		})
	}
}

func TestSKUsOfUnsettledAttempts(t *testing.T) {
	s := newStore(t)
	begin(t, s, "a", "v=A")
	begin(t, s, "a", "v=B") // the first answer was lost: the shop may hold either
	taken := func(sku string) bool {
		t.Helper()
		got, err := store.PreviewSKUs(t.Context(), s, store.Attempt{ID: "z", Order: []string{"v"}, SKUs: map[string]string{"v": sku}})
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
	if n, err := store.Update(t.Context(), s, func(_ *store.Report, w *store.Settlement) bool { w.Record.Attempted = 0; return true }, "a"); n != 1 ||
		err != nil {
		t.Error(n, err)
	}
	if taken("B") || len(get(t, s, "a").Claims) != 0 {
		t.Errorf("nothing is attempted any more: B taken %t, claims %v", taken("B"), get(t, s, "a").Claims)
	}
}

func TestOpenClaimsAreListedOnce(t *testing.T) {
	s := newStore(t)
	before := store.Record{
		ID:       "a",
		Variants: []store.Variant{{ID: "v", SKU: "X"}, {ID: "w"}},
		Claims:   []store.Claim{{Variant: "v", SKU: "x"}, {Variant: "v", SKU: "Y"}, {Variant: "u", SKU: "X"}},
	}
	var open []store.Claim
	must(t, s.read(t.Context(), func(tx *tree) (err error) {
		open, err = settleClaims(
			tx,
			before,
			store.Record{ID: "a", Attempted: 1, Variants: []store.Variant{{ID: "v", SKU: "y"}}},
		)
		return err
	}))
	if want := []store.Claim{{Variant: "v", SKU: "x"}, {Variant: "u", SKU: "X"}}; !slices.Equal(open, want) {
		t.Errorf("%v, want %v", open, want)
	}
}

func TestSuffixesThatAreTaken(t *testing.T) {
	s := newStore(t)
	begin(t, s, "a", "v=A")
	var n int
	for n = range suffixForms - 1 {
		begin(t, s, fmt.Sprint("squatter ", n), "v="+suffixOf("A", "b", "v", n))
	}
	if got := begin(t, s, "b", "v=A")[0]; got != suffixOf("A", "b", "v", n+1) {
		t.Errorf("%s", got)
	}
}

func TestOwnersAreNotMistaken(t *testing.T) {
	s := newStore(t)
	begin(t, s, "a\x00b", "c=X")
	if got := begin(t, s, "a", "b\x00c=X")[0]; got == "X" {
		t.Error("two variants have one SKU")
	}
	if suffixOf("X", "ab", "c", 0) == suffixOf("X", "a", "bc", 0) {
		t.Error("two variants have one suffix")
	}
}

// No two variants ever hold the same SKU, whatever was asked for in whatever order.
func TestSKUsAreUnique(t *testing.T) {
	s := newStore(t)
	r := rand.New(rand.NewPCG(7, 7))
	pool := []string{"A", "a", "B", "b-1", "B-1", "c", ""}
	holds := map[string]string{} // publication/variant -> SKU, of settled writes
	for step := range 300 {
		id := fmt.Sprint("p", r.IntN(4))
		a := store.Attempt{ID: id, Fields: 1, SKUs: map[string]string{}}
		for _, v := range r.Perm(4)[:r.IntN(4)+1] {
			variant := fmt.Sprint("v", v)
			a.Order = append(a.Order, variant)
			a.SKUs[variant] = pool[r.IntN(len(pool))]
		}
		got, err := s.Begin(t.Context(), a)
		must(t, err)
		rec := store.Record{ID: id}
		for _, v := range a.Order {
			rec.Variants = append(rec.Variants, store.Variant{ID: v, SKU: got[v]})
		}
		if r.IntN(3) == 0 {
			continue // lost
		}
		settle(t, s, store.Settlement{Record: rec})
		maps.DeleteFunc(holds, func(key, _ string) bool { return strings.HasPrefix(key, id+"/") })
		for v, sku := range got {
			if sku != "" {
				holds[id+"/"+v] = strings.ToLower(sku)
			}
		}
		by := map[string]string{}
		for variant, sku := range holds {
			if other := by[sku]; other != "" {
				t.Fatalf("step %d: %s and %s both hold %s", step, variant, other, sku)
			}
			by[sku] = variant
		}
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

// suffixOf is a SKU with the n-th form of a variant's suffix. It never changes: the shop has it.
func suffixOf(sku, id, variant string, n int) string {
	identity := append(binary.AppendUvarint(nil, uint64(len(id))), id+variant...)
	sum := sha256.Sum256(identity)
	return sku + "-" + hex.EncodeToString(sum[:3<<n])
}

const suffixForms = 4
