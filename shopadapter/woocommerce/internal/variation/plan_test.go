package variation

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
)

// lamps are variants of these ids, each of a color of its own.
func lamps(ids ...string) (list []skeleton.Planned) {
	for i, id := range ids {
		v := shopadapter.Variant{ID: id, SKU: "SKU-" + id, Price: "9.95", Quantity: 3}
		list = append(list, skeleton.Planned{Variant: v, Place: i, Values: []string{"color " + id}})
	}
	return list
}

func colors() *Set { return &Set{Publication: "P", Match: []skeleton.Match{{Name: "Color"}}} }

// standing is what a shop holds that was written for these variants.
func standing(list []skeleton.Planned) (held []Held) {
	for i, v := range list {
		s := Written{ID: int64(i + 1), Price: v.Price, Stock: StockOf(v.Variant), Form: colors().Form(v, OnSale)}
		held = append(held, Held{Written: s, Key: v.ID, sku: v.SKU})
	}
	return held
}

// beside is each variant beside the one that is held of it, and those that no variant is found in.
func beside(list []skeleton.Planned, held []Held) (wanted skeleton.List[Held], surplus []*Held) {
	for _, v := range list {
		wanted = append(wanted, skeleton.Wanted[Held]{Planned: v})
	}
	for i := range held {
		if n := slices.IndexFunc(list, func(v skeleton.Planned) bool { return v.ID == held[i].Key }); n >= 0 {
			wanted[n].Held = &held[i]
		} else {
			surplus = append(surplus, &held[i])
		}
	}
	return wanted, surplus
}

func TestPlan(t *testing.T) {
	type want struct {
		create, update         []string // the variants
		remove, release, clear []int64
		status                 any // of what is made
	}
	all := Situation{Changed: shopadapter.AllFields, Left: true, Listed: true}
	in := func(change func(*Situation)) Situation {
		other := all
		change(&other)
		return other
	}
	for _, tt := range []struct {
		name   string
		wanted []skeleton.Planned
		held   []Held
		in     Situation
		want   want
	}{
		{"nothing differs", lamps("a", "b"), standing(lamps("a", "b")), all, want{}},
		{"all are missing", lamps("a", "b"), nil, all, want{create: []string{"a", "b"}, status: "publish"}},
		{
			"one is missing on a product that is on sale", lamps("a", "b"), standing(lamps("a")),
			in(func(s *Situation) { s.Live = true }),
			want{create: []string{"b"}, status: "private"},
		},
		{
			"a price that did not change is the merchant's", func() []skeleton.Planned {
				list := lamps("a")
				list[0].Price = "8.00"
				return list
			}(), standing(lamps("a")), in(func(s *Situation) { s.Changed = shopadapter.FieldStock }), want{},
		},
		{
			"one that is wanted no longer", lamps("a"),
			append(standing(lamps("a")), Held{Written: Written{ID: 9}, Key: "b"}),
			all,
			want{remove: []int64{9}},
		},
		{
			"one of the merchant's that is wanted no longer", lamps("a"),
			append(
				standing(lamps("a")),
				Held{Written: Written{ID: 9}, Key: "b"},
				Held{Written: Written{ID: 10}, Key: "c", Added: true},
			),
			in(func(s *Situation) { s.Adopted = true }),
			want{remove: []int64{10}, release: []int64{9}},
		},
		{
			"figures alone", lamps("a", "c"),
			append(standing(lamps("a")), Held{Written: Written{ID: 9}, Key: "b"}),
			in(func(s *Situation) { s.Figures = true }),
			want{},
		},
		{
			"two change their SKUs", func() []skeleton.Planned {
				list := lamps("a", "b")
				list[0].SKU, list[1].SKU = list[1].SKU, list[0].SKU
				return list
			}(), standing(lamps("a", "b")), all, want{update: []string{"a", "b"}, clear: []int64{1, 2}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wanted, surplus := beside(tt.wanted, tt.held)
			p := colors().Plan(wanted, surplus, tt.in)
			ids := func(ops []Op) (list []string) {
				for _, o := range ops {
					list = append(list, o.Wanted.ID)
				}
				return list
			}
			got := want{
				create:  ids(p.Create),
				update:  ids(p.Update),
				remove:  p.Delete,
				release: p.Release,
				clear:   p.Clear,
			}
			if len(p.Create) > 0 {
				got.status = p.Create[0].Body["status"]
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(want{})); diff != "" {
				t.Errorf("the plan (-want +got):\n%s", diff)
			}
		})
	}
}

// A variation is known by its stamp; one without it, by the position that it was made with, or by
// the SKU of a variant that is missing. A variant that the supplier has made anew keeps its
// variation.
func TestSort(t *testing.T) {
	stamped := func(id int, sku, variant string) rest.Variation {
		var v rest.Variation
		text := fmt.Sprintf(`{"id":%d,"sku":%q,"regular_price":"9.95","meta_data":[{"key":%q,"value":%q}]}`,
			id, sku, rest.StampKey, Stamp("P", variant, false))
		if err := json.Unmarshal([]byte(text), &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	bare := func(id int, sku string, order rest.Number) rest.Variation {
		return rest.Variation{ID: rest.Number(id), SKU: rest.Text(sku), Order: order}
	}
	for _, tt := range []struct {
		name    string
		all     []rest.Variation
		want    map[int64]string // the keys, by the variations' ids
		foreign []int64
	}{
		{"by its stamp", []rest.Variation{stamped(1, "x", "a")}, map[int64]string{1: "a"}, nil},
		{
			"there twice",
			[]rest.Variation{stamped(1, "SKU-a", "a"), stamped(2, "SKU-a", "a")},
			map[int64]string{1: "a", 2: "a"},
			nil,
		},
		{"wanted no longer", []rest.Variation{stamped(1, "x", "old")}, map[int64]string{1: "old"}, nil},
		{"made anew", []rest.Variation{stamped(1, "sku-A", "old")}, map[int64]string{1: "a"}, nil},
		{"PHP died over it", []rest.Variation{bare(1, "", orderMark("P"))}, map[int64]string{1: deadKey}, nil},
		{
			"PHP died over it after the SKU",
			[]rest.Variation{bare(1, "SKU-a", orderMark("P"))},
			map[int64]string{1: "a"},
			nil,
		},
		{"the merchant's", []rest.Variation{bare(1, "theirs", 0)}, map[int64]string{}, []int64{1}},
		{"the merchant's under our SKU", []rest.Variation{bare(1, "SKU-a", 0)}, map[int64]string{1: "a"}, nil},
		{
			"the merchant's beside ours",
			[]rest.Variation{stamped(1, "", "a"), bare(2, "SKU-a", 0)},
			map[int64]string{1: "a"},
			[]int64{2},
		},
		{"the product's SKU is none", []rest.Variation{stamped(1, "product", "old")}, map[int64]string{1: "old"}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			held, others := colors().Sort(tt.all, "product", lamps("a"))
			got, foreign := map[int64]string{}, []int64(nil)
			for _, h := range held {
				got[h.ID] = h.Key
			}
			for _, v := range others {
				foreign = append(foreign, int64(v.ID))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("variants by variation (-want +got):\n%s", diff)
			}
			if !slices.Equal(foreign, tt.foreign) {
				t.Errorf("the merchant's are %v, want %v", foreign, tt.foreign)
			}
		})
	}
}

// No request holds more than a hundred operations, and what goes makes room first.
func TestBatches(t *testing.T) {
	var p Plan
	for i := range 150 {
		p.Create = append(p.Create, Op{Wanted: skeleton.Planned{Variant: shopadapter.Variant{ID: fmt.Sprint(i)}}})
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
			t.Errorf("%q counts as none of ours, want it of publication %q", text, tt.publication)
		}
		if _, _, ours := ReadStamp(text, tt.publication+"2"); ours {
			t.Errorf("%q counts as another publication's, want only %q's", text, tt.publication)
		}
	}
}
