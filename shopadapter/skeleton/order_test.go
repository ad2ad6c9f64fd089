package skeleton

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
)

// A held is a variant of the shop of these tests: the mark and the id of it.
type held struct{ key, id string }

// A shop records the steps that the skeleton takes.
type shop struct {
	*Write[held]
	found    Found[held]
	onSale   bool
	rework   Rework
	fails    string // the step that fails
	stubborn bool   // it never puts the product on sale
	axes     []Axis
	known    []Known
	steps    []string
}

var errShop = errors.New("the shop is away")

func (s *shop) step(name string) error {
	s.steps = append(s.steps, name)
	if s.fails == name {
		return errShop
	}
	return nil
}

func (s *shop) Find(context.Context) (Found[held], error) { return s.found, s.step("find") }

func (s *shop) Offers(context.Context) ([]string, Offer, error) {
	return s.Product.Options, func(v shopadapter.Variant) ([]string, string) {
		if v.Price == "" {
			return nil, "it has no price"
		}
		return Values(v, s.Product.Options)
	}, nil
}
func (s *shop) Key(v *held) string                   { return v.key }
func (s *shop) ID(v *held) string                    { return v.id }
func (s *shop) Fits(v *held, _ Planned, _ bool) bool { return v.id != "unfit" }
func (s *shop) Draft(context.Context) error          { return s.step("draft") }
func (s *shop) OnSale() bool                         { return s.onSale }
func (s *shop) Listing() shopadapter.Listing         { return shopadapter.Listing{ID: "L"} }
func (s *shop) PlanOptions() (Rework, error)         { return s.rework, s.step("plan") }
func (s *shop) WriteOptions(context.Context) error   { return s.step("options") }
func (s *shop) Stock(context.Context) error          { return s.step("stock") }
func (s *shop) Pictures(context.Context) error       { return s.step("pictures") }
func (s *shop) Translate(context.Context) error      { return s.step("translate") }
func (s *shop) Axes() []Axis                         { return s.axes }
func (s *shop) Known() *[]Known                      { return &s.known }

func (s *shop) Carried(context.Context) ([]Carried, error) {
	return s.Write.Carried(s, func(*held) []string { return []string{"?"} }), nil
}

func (s *shop) Remove(_ context.Context, id string) error { return s.step("remove " + id) }

func (s *shop) Change(_ context.Context, structural bool) error {
	if structural {
		return s.step("change all")
	}
	return s.step("change")
}

func (s *shop) Withhold(context.Context) error {
	s.onSale = false
	return s.step("withhold")
}

func (s *shop) Delete(_ context.Context, surplus []*held) error {
	for _, v := range surplus {
		s.found.Variants = slices.DeleteFunc(slices.Clone(s.found.Variants), func(h held) bool { return h == *v })
	}
	return s.step("delete")
}

func (s *shop) Make(context.Context) error {
	all := s.found.Variants
	for _, v := range s.Variants {
		if v.Unmade() {
			all = append(all, held{v.ID, "made-" + v.ID})
		}
	}
	s.Take(s, all)
	return s.step("make")
}

func (s *shop) Sell(context.Context) error {
	s.onSale = !s.stubborn
	return s.step("sell")
}

func chair(ids ...string) shopadapter.Product {
	p := shopadapter.Product{ID: "P", Options: []string{"Color"}}
	for _, id := range ids {
		p.Variants = append(p.Variants, shopadapter.Variant{
			ID: id, Price: "9.95", Options: []shopadapter.Option{{Name: "Color", Value: "color " + id}},
		})
	}
	return p
}

// there is a listing on sale with the variants a and b.
func there(more ...held) *shop {
	return &shop{onSale: true, found: Found[held]{
		ID: "L", Complete: true, Variants: append([]held{{"a", "1"}, {"b", "2"}}, more...),
	}}
}

const texts = shopadapter.FieldTitle

func TestOrder(t *testing.T) {
	const whole = "find draft plan options change all make stock pictures translate sell"
	for _, row := range []struct {
		name    string
		shop    *shop
		ref     shopadapter.Ref
		product shopadapter.Product
		changed shopadapter.Fields
		steps   string
		err     string
	}{
		{name: "a new product", shop: &shop{}, changed: texts, steps: whole},
		{name: "a text", shop: there(), changed: texts, steps: "find draft change stock pictures translate sell"},
		{
			name: "a structure", shop: there(), changed: shopadapter.FieldVariants,
			steps: "find draft plan options change all stock pictures translate sell",
		},
		{
			name: "a half-built product is written whole", shop: &shop{found: Found[held]{ID: "L"}}, changed: texts,
			steps: whole,
		},
		{
			name: "a variant that is missing", shop: there(), product: chair("a", "b", "c"), changed: texts,
			steps: whole,
		},
		{
			name: "a variant that is there twice", shop: there(held{"a", "3"}), changed: texts,
			steps: "find draft plan delete options change all stock pictures translate sell",
		},
		{
			name: "a variant of the merchant's", shop: there(held{"", "3"}), changed: texts,
			steps: "find draft change stock pictures translate sell",
		},
		{
			name: "the variants are replaced", shop: func() *shop { s := there(); s.rework = Replace; return s }(),
			changed: shopadapter.FieldVariants,
			steps:   "find draft plan withhold delete options change all make stock pictures translate sell",
		},
		{
			name: "the options leave a gap", shop: func() *shop { s := there(); s.rework = Gap; return s }(),
			changed: shopadapter.FieldVariants,
			steps:   "find draft plan withhold options change all stock pictures translate sell",
		},
		{
			name: "no variant is left meanwhile", shop: there(), product: chair("c"), changed: texts,
			steps: "find draft plan withhold delete options change all make stock pictures translate sell",
		},
		{
			name: "late drafts go at the end", changed: texts,
			shop:  func() *shop { s := there(); s.found.Strays = []string{"x", "y"}; return s }(),
			steps: "find draft change stock pictures translate sell remove x remove y",
		},
		{
			name: "a shop that puts nothing on sale", shop: &shop{stubborn: true}, changed: texts, steps: whole,
			err: "the shop did not put the product on sale",
		},
		{
			name: "somebody deleted it", shop: &shop{}, ref: shopadapter.Ref{Listing: "L"}, changed: texts, steps: "find",
			err: shopadapter.ErrGone.Error(),
		},
		{
			name: "somebody hid it", shop: &shop{found: Found[held]{ID: "L", Complete: true}},
			ref: shopadapter.Ref{Listing: "L", OnSale: true}, changed: texts, steps: "find",
			err: shopadapter.ErrHidden.Error(),
		},
		{
			name: "no variant can be sold", shop: there(),
			product: shopadapter.Product{Variants: []shopadapter.Variant{{ID: "a"}}},
			changed: texts, steps: "find", err: "no variant can be sold: it has no price",
		},
		{
			name: "options that cannot be followed", changed: shopadapter.FieldVariants,
			shop: func() *shop {
				s := there()
				s.axes, s.known = []Axis{{Name: "Hue", Values: []string{"?"}}}, []Known{{Name: "Color"}}
				return s
			}(),
			steps: "find draft change stock pictures translate sell",
			err:   "the options of product L were changed in the shop",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.product.Variants == nil {
				row.product = chair("a", "b")
			}
			_, err := Publish(t.Context(), row.ref, row.product, row.changed, row.shop.open)
			if got := strings.Join(row.shop.steps, " "); got != row.steps {
				t.Errorf("the steps are %q, want %q", got, row.steps)
			}
			if (row.err == "") != (err == nil) || err != nil && !strings.HasPrefix(err.Error(), row.err) {
				t.Errorf("the error is %v, want %q", err, row.err)
			}
		})
	}
}

func (s *shop) open(w *Write[held]) *shop {
	s.Write = w
	return s
}

// Whatever step fails, no later one is taken, and what is known of the listing is returned.
func TestAFailureEndsTheCall(t *testing.T) {
	all := strings.Split(
		"find,draft,plan,withhold,delete,options,change all,make,stock,pictures,translate,sell,remove x",
		",",
	)
	for i, step := range all {
		t.Run(step, func(t *testing.T) {
			s := there()
			s.fails, s.rework, s.found.Strays = step, Replace, []string{"x"}
			l, err := Publish(t.Context(), shopadapter.Ref{}, chair("a", "b"), shopadapter.AllFields, s.open)
			if !errors.Is(err, errShop) {
				t.Errorf("the error is %v, want %v", err, errShop)
			}
			if diff := cmp.Diff(all[:i+1], s.steps); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
			if known := l.ID != ""; known != (step != "find") {
				t.Errorf("the listing is %+v", l)
			}
		})
	}
}

// A clash keeps a product off sale that is not on sale yet.
func TestClash(t *testing.T) {
	for _, onSale := range []bool{false, true} {
		s := there()
		s.onSale = onSale
		_, err := Publish(t.Context(), shopadapter.Ref{}, chair("a", "b"), texts, func(w *Write[held]) *shop {
			w.Clash = errShop
			return s.open(w)
		})
		if !errors.Is(err, errShop) {
			t.Errorf("on sale %t: the error is %v, want %v", onSale, err, errShop)
		}
		if got := slices.Contains(s.steps, "sell"); got != onSale {
			t.Errorf("on sale %t: sold %t, want %t", onSale, got, onSale)
		}
	}
}

func TestRestock(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(s *shop, ref *shopadapter.Ref)
		ids    []string
		passes bool
	}{
		{name: "nothing else differs", passes: true},
		{name: "a variant of the merchant's", change: func(s *shop, _ *shopadapter.Ref) {
			s.found.Variants = append(s.found.Variants, held{"", "3"})
		}, passes: true},
		{name: "out of sale", change: func(s *shop, _ *shopadapter.Ref) { s.onSale = false }},
		{name: "never complete", change: func(s *shop, _ *shopadapter.Ref) { s.found.Complete = false }},
		{name: "a write is pending", change: func(s *shop, _ *shopadapter.Ref) { s.found.Pending = true }},
		{name: "a late draft", change: func(s *shop, _ *shopadapter.Ref) { s.found.Strays = []string{"x"} }},
		{name: "a group is given back", change: func(_ *shop, ref *shopadapter.Ref) { ref.Reset = texts }},
		{name: "a variant is missing", ids: []string{"a", "b", "c"}},
		{name: "a variant is too many", ids: []string{"a"}},
		{name: "a variant is named twice", ids: []string{"a", "b", "b"}},
		{name: "no variant is named", ids: []string{}},
		{name: "a variant takes no figures", change: func(s *shop, _ *shopadapter.Ref) { s.found.Variants[0].id = "unfit" }},
	} {
		t.Run(row.name, func(t *testing.T) {
			s, ref := there(), shopadapter.Ref{}
			if row.change != nil {
				row.change(s, &ref)
			}
			if row.ids == nil {
				row.ids = []string{"a", "b"}
			}
			_, err := Publish(t.Context(), ref, chair(row.ids...).OnlyFigures(), shopadapter.AllFields, s.open)
			want := []string{"find"}
			if row.passes {
				want = []string{"find", "change", "stock"}
			}
			if diff := cmp.Diff(want, s.steps); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
			if row.passes != (err == nil) || !row.passes && !errors.Is(err, shopadapter.ErrWhole) {
				t.Errorf("the error is %v, want none: %t", err, row.passes)
			}
			if s.Changed&^(shopadapter.FieldPrice|shopadapter.FieldStock) != 0 && row.passes {
				t.Errorf("the groups are %v, want price and stock alone", s.Changed)
			}
		})
	}
}

func TestPick(t *testing.T) {
	for _, row := range []struct {
		name  string
		found []Candidate
		own   string
		stray string
	}{
		{"none", nil, "", ""},
		{"one", []Candidate{{ID: "1"}}, "1", ""},
		{"the oldest", []Candidate{{ID: "1", Untouched: true}, {ID: "2", Untouched: true}}, "1", "2"},
		{"the known one", []Candidate{{ID: "1", Untouched: true}, {ID: "7", Untouched: true}}, "7", "1"},
		{"the complete one", []Candidate{{ID: "7", Untouched: true}, {ID: "1", Complete: true}}, "1", "7"},
		{"one that somebody worked on stays", []Candidate{{ID: "1", Complete: true}, {ID: "2"}}, "1", ""},
		{
			"two complete ones stay",
			[]Candidate{{ID: "1", Complete: true}, {ID: "2", Complete: true, Untouched: true}},
			"1",
			"",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			var found []*Candidate
			for i := range row.found {
				found = append(found, &row.found[i])
			}
			own, strays := Pick(shopadapter.Ref{Listing: "7"}, found, func(c *Candidate) Candidate { return *c })
			if own == nil {
				own = &Candidate{}
			}
			if own.ID != row.own || strings.Join(strays, " ") != row.stray {
				t.Errorf("picked %q and strays %q, want %q and %q", own.ID, strays, row.own, row.stray)
			}
		})
	}
}
