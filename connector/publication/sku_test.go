package publication

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/keyed"
)

// begin claims, after having looked at what would be given, which must be the same.
func claimed(t *testing.T, s store.Store, id string, wants ...string) []string {
	t.Helper()
	var order []string
	skus := map[string]string{}
	for _, want := range wants {
		variant, sku, _ := strings.Cut(want, "=")
		order = append(order, variant)
		skus[variant] = sku
	}
	a := ClaimSKUs(id, order, skus)
	preview, err := store.PreviewSKUs(t.Context(), s, a)
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Begin(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
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
func written(t *testing.T, s store.Store, id string, skus ...string) {
	t.Helper()
	r := store.Record{ID: id, State: "live"}
	for _, v := range skus {
		variant, sku, _ := strings.Cut(v, "=")
		r.Variants = append(r.Variants, store.Variant{ID: variant, SKU: sku})
	}
	settled(t, s, store.Settlement{Record: r})
}

func settled(t *testing.T, s store.Store, w store.Settlement) {
	t.Helper()
	if _, err := s.Settle(t.Context(), w); err != nil {
		t.Fatal(err)
	}
}

func TestSKUClaims(t *testing.T) {
	s := keyed.InMemory()
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
	expect("free", claimed(t, s, "a", "v=Planter-1", "w=Planter-2", "x="), "Planter-1", "Planter-2", "")
	written(t, s, "a", "v=Planter-1", "w=Planter-2", "x=")
	expect("its own again", claimed(t, s, "a", "v=Planter-1", "w=Planter-2"), "Planter-1", "Planter-2")

	first := claimed(t, s, "b", "v=PLANTER-1", "w=other")
	expect("another's, in other letters", first, "PLANTER-1*", "other")
	written(t, s, "b", "v="+first[0], "w=other")
	if again := claimed(t, s, "b", "v=PLANTER-1", "w=other"); !slices.Equal(again, first) {
		t.Errorf("the suffix changed from %v to %v", first, again)
	}
	settled(t, s, store.Settlement{Record: store.Record{ID: "a"}, Forget: true})
	if again := claimed(t, s, "b", "v=PLANTER-1", "w=other"); !slices.Equal(again, first) {
		t.Errorf("the suffix changed from %v to %v when the other went", first, again)
	}
	expect("released", claimed(t, s, "c", "v=planter-1"), "planter-1")

	expect("two of one call, in its order", claimed(t, s, "d", "z=Twin", "y=twin", "x=TWIN"), "Twin", "twin*", "TWIN*")
	expect("and again", claimed(t, s, "d", "x=TWIN", "y=twin", "z=Twin"), "TWIN*", "twin*", "Twin")
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
			s := keyed.InMemory()
			claimed(t, s, "a", tt.held...)
			written(t, s, "a", tt.held...)
			got := claimed(t, s, "a", tt.want...)
			if strings.Join(got, " ") != tt.got {
				t.Errorf("%v", got)
			}
			written(t, s, "a", tt.want...)
			if got := claimed(t, s, "a", tt.want...); strings.Join(got, " ") != tt.got {
				t.Errorf("again %v", got)
			}
		})
	}
}

func TestSuffixesThatAreTaken(t *testing.T) {
	s := keyed.InMemory()
	claimed(t, s, "a", "v=A")
	var n int
	for n = range suffixForms - 1 {
		claimed(t, s, fmt.Sprint("squatter ", n), "v="+suffixOf("A", "b", "v", n))
	}
	if got := claimed(t, s, "b", "v=A")[0]; got != suffixOf("A", "b", "v", n+1) {
		t.Errorf("%s", got)
	}
}

func TestOwnersAreNotMistaken(t *testing.T) {
	s := keyed.InMemory()
	claimed(t, s, "a\x00b", "c=X")
	if got := claimed(t, s, "a", "b\x00c=X")[0]; got == "X" {
		t.Error("two variants have one SKU")
	}
	if suffixOf("X", "ab", "c", 0) == suffixOf("X", "a", "bc", 0) {
		t.Error("two variants have one suffix")
	}
}

// No two variants ever hold the same SKU, whatever was asked for in whatever order.
func TestSKUsAreUnique(t *testing.T) {
	s := keyed.InMemory()
	r := rand.New(rand.NewPCG(7, 7))
	pool := []string{"A", "a", "B", "b-1", "B-1", "c", ""}
	holds := map[string]string{} // publication/variant -> SKU, of settled writes
	for step := range 300 {
		id := fmt.Sprint("p", r.IntN(4))
		var order []string
		skus := map[string]string{}
		for _, v := range r.Perm(4)[:r.IntN(4)+1] {
			variant := fmt.Sprint("v", v)
			order = append(order, variant)
			skus[variant] = pool[r.IntN(len(pool))]
		}
		a := ClaimSKUs(id, order, skus)
		got, err := s.Begin(t.Context(), a)
		if err != nil {
			t.Fatal(err)
		}
		rec := store.Record{ID: id}
		for _, v := range a.Order {
			rec.Variants = append(rec.Variants, store.Variant{ID: v, SKU: got[v]})
		}
		if r.IntN(3) == 0 {
			continue // lost
		}
		settled(t, s, store.Settlement{Record: rec})
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

// suffixOf is a SKU with the n-th form of a variant's suffix. It never changes: the shop has it.
func suffixOf(sku, id, variant string, n int) string {
	identity := append(binary.AppendUvarint(nil, uint64(len(id))), id+variant...)
	sum := sha256.Sum256(identity)
	return sku + "-" + hex.EncodeToString(sum[:3<<n])
}

const suffixForms = 4
