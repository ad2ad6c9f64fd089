package variation

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/choice"
)

// lamps are variants of these ids, each of a color of its own.
func lamps(ids ...string) *Set {
	set := &Set{Publication: "P", Options: []choice.Axis{{Name: "Color"}}}
	for _, id := range ids {
		color := "color " + id
		set.Options[0].Values = append(set.Options[0].Values, color)
		v := Of(shopadapter.Variant{ID: id, SKU: "SKU-" + id, Price: "9.95", Quantity: 3})
		v.Options = []string{color}
		set.Variants = append(set.Variants, v)
	}
	set.Match = choice.Same(set.Options)
	return set
}

// standing is what a shop holds that was written as the set says.
func (set *Set) standing() Held {
	h := Held{Slots: map[string]HeldSlot{}}
	for i, v := range set.Variants {
		s := Slot{ID: int64(i + 1), Price: v.Price, Stock: v.Stock(), Rest: set.Rest(v, true)}
		h.Slots[v.ID] = HeldSlot{Slot: s, sku: v.SKU}
	}
	return h
}

func TestPlan(t *testing.T) {
	type want struct {
		create, update         []string // the variants
		remove, release, clear []int64
		status                 any // of what is made
	}
	all := Situation{Changed: shopadapter.AllFields, Left: true}
	for _, tt := range []struct {
		name string
		set  *Set
		held Held
		in   Situation
		want want
	}{
		{"nothing differs", lamps("a", "b"), lamps("a", "b").standing(), all, want{}},
		{"all are missing", lamps("a", "b"), Held{}, all, want{create: []string{"a", "b"}, status: "publish"}},
		{
			"one is missing on a product that is on sale", lamps("a", "b"), lamps("a").standing(),
			Situation{Changed: shopadapter.AllFields, Left: true, Live: true},
			want{create: []string{"b"}, status: "private"},
		},
		{
			"a price that did not change is the merchant's", func() *Set {
				set := lamps("a")
				set.Variants[0].Price = "8.00"
				return set
			}(), lamps("a").standing(), Situation{Changed: shopadapter.FieldStock, Left: true}, want{},
		},
		{
			"one that is wanted no longer", lamps("a"),
			Held{Slots: lamps("a").standing().Slots, Spare: []Spare{{ID: 9}}},
			all,
			want{remove: []int64{9}},
		},
		{
			"one of the merchant's that is wanted no longer", lamps("a"),
			Held{Slots: lamps("a").standing().Slots, Spare: []Spare{{ID: 9}, {ID: 10, Added: true}}},
			Situation{Changed: shopadapter.AllFields, Left: true, Adopted: true},
			want{remove: []int64{10}, release: []int64{9}},
		},
		{
			"a variant that the supplier has made anew", lamps("c"),
			Held{Spare: []Spare{{ID: 9, sku: "sku-C"}}},
			all,
			want{update: []string{"c"}},
		},
		{
			"two change their SKUs", func() *Set {
				set := lamps("a", "b")
				set.Variants[0].SKU, set.Variants[1].SKU = set.Variants[1].SKU, set.Variants[0].SKU
				return set
			}(), lamps("a", "b").standing(), all, want{update: []string{"a", "b"}, clear: []int64{1, 2}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := tt.set.Plan(tt.held, true, tt.in)
			ids := func(ops []Op) (list []string) {
				for _, o := range ops {
					list = append(list, o.Wanted.ID)
				}
				return list
			}
			got := want{create: ids(p.Create), update: ids(p.Update), remove: p.Delete, release: p.Release, clear: p.Clear}
			if len(p.Create) > 0 {
				got.status = p.Create[0].Body["status"]
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("the plan (-want +got):\n%s", diff)
			}
		})
	}
}

// No request holds more than a hundred operations, and what goes makes room first.
func TestBatches(t *testing.T) {
	var p Plan
	for i := range 150 {
		p.Create = append(p.Create, Op{Wanted: Wanted{ID: fmt.Sprint(i)}})
		p.Delete = append(p.Delete, int64(i))
	}
	var got [][2]int
	for batch := range p.Batches() {
		got = append(got, [2]int{len(batch.Delete), len(batch.Create)})
	}
	if want := [][2]int{{100, 0}, {50, 0}, {0, 100}, {0, 50}}; !slices.Equal(got, want) {
		t.Errorf("deletions and additions by request are %v, want %v", got, want)
	}
}

// The stamp of a variation tells the variant, to its own publication alone.
func TestStamp(t *testing.T) {
	for _, tt := range []struct {
		publication shopadapter.PublicationID
		variant     string
		added       bool
	}{{"p", "v", false}, {"p/1", `a\b/added`, false}, {"ü", "", true}, {"p", "v", true}} {
		text := Stamp(tt.publication, tt.variant, tt.added)
		variant, added, ours := ReadStamp(text, tt.publication)
		if variant != tt.variant {
			t.Errorf("%q is of variant %q, want %q", text, variant, tt.variant)
		}
		if added != tt.added {
			t.Errorf("%q says that it was added: %t, want %t", text, added, tt.added)
		}
		if !ours {
			t.Errorf("%q is not of publication %q", text, tt.publication)
		}
		if _, _, ours := ReadStamp(text, tt.publication+"2"); ours {
			t.Errorf("%q is taken for another publication's", text)
		}
	}
}
