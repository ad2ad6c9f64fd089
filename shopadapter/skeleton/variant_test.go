package skeleton

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

func TestSend(t *testing.T) {
	broken := errors.New("broken pipe")
	for _, row := range []struct {
		name     string
		inputs   string // one letter each; x is refused, ! breaks the connection
		requests string
		refused  Refused
		err      error
	}{
		{"all taken", "abc", "abc", Refused{}, nil},
		{"one refused", "axc", "axc a x c", Refused{"x": "no x"}, nil},
		{"a refused one alone", "x", "x", Refused{"x": "no x"}, nil},
		{"connection lost", "a!c", "a!c", Refused{}, broken},
		{"connection lost after a refusal", "x!", "x! x !", Refused{"x": "no x"}, broken},
		{"in two runs", "abcxe", "abc xe x e", Refused{"x": "no x"}, nil},
		{"one refused in the first run", "axcde", "axc a x c de", Refused{"x": "no x"}, nil},
		{"connection lost in the first run", "a!cde", "a!c", Refused{}, broken},
	} {
		t.Run(row.name, func(t *testing.T) {
			inputs, refused := strings.Split(row.inputs, ""), Refused{}
			var requests []string
			err := Send(refused, inputs, slices.Chunk(inputs, 3), func(some []string) error {
				requests = append(requests, strings.Join(some, ""))
				switch {
				case slices.Contains(some, "x"):
					return shopadapter.Reject("no x")
				case slices.Contains(some, "!"):
					return broken
				}
				return nil
			})
			if !errors.Is(err, row.err) || strings.Join(requests, " ") != row.requests ||
				!maps.Equal(refused, row.refused) {
				t.Errorf("sent %q, refused %v, error %v", requests, refused, err)
			}
		})
	}
}

func TestNone(t *testing.T) {
	p := shopadapter.Product{Variants: []shopadapter.Variant{{ID: "1"}, {ID: "2"}}}
	for want, refused := range map[string]Refused{
		"no variant can be sold: it has no price": {"2": "it has no price"},
		"the product has no variant":              {},
	} {
		if err := refused.None(p); shopadapter.Explain(err).Kind != shopadapter.Rejected ||
			shopadapter.Explain(err).Message != want {
			t.Errorf("%v: %v", refused, err)
		}
	}
}

func TestValues(t *testing.T) {
	v := shopadapter.Variant{
		Options: []shopadapter.Option{
			{Name: "Size", Value: " L "},
			{Name: "Color", Value: "Red"},
			{Name: "Cut", Value: " "},
		},
	}
	for names, want := range map[string]string{
		"Color Size": "Red,L", "Size Cut": "it has no value for the option Cut", "Fit": "it has no value for the option Fit",
	} {
		values, why := Values(v, strings.Fields(names))
		if got := strings.Join(values, ",") + why; got != want {
			t.Errorf("%s: %q, not %q", names, got, want)
		}
	}
}

func TestPlan(t *testing.T) {
	p := shopadapter.Product{
		Variants: []shopadapter.Variant{
			{ID: "1", Title: "red"},
			{ID: "2", Title: "blank"},
			{ID: "3", Title: "red"},
			{ID: "4", Title: "blue"},
		},
	}
	refused := Refused{}
	planned := plan(p, refused, func(v shopadapter.Variant) ([]string, string) {
		if v.Title == "blank" {
			return nil, "it has no value"
		}
		return []string{v.Title}, ""
	})
	if len(planned) != 2 || planned[0].ID != "1" || planned[1].ID != "4" || planned[1].Place != 3 ||
		planned[1].Values[0] != "blue" {
		t.Errorf("planned is %+v", planned)
	}
	if want := (Refused{"2": "it has no value", "3": "it has the same options as the variant red"}); !maps.Equal(
		refused,
		want,
	) {
		t.Errorf("refused is %v", refused)
	}
}

func TestChoices(t *testing.T) {
	list := []Planned{
		{Values: []string{"red", "S"}},
		{Values: []string{"red", "M"}},
		{Values: []string{"blue", "S"}},
	}
	got := choices([]string{"Color", "Size"}, list)
	if len(got) != 2 || got[0].Name != "Color" || !slices.Equal(got[0].Values, []string{"red", "blue"}) ||
		!slices.Equal(got[1].Values, []string{"S", "M"}) {
		t.Errorf("%v", got)
	}
	if names := Names(got); !slices.Equal(names, []string{"Color", "Size"}) {
		t.Errorf("%v", names)
	}
	if chosen := list[1].Chosen(got); !maps.Equal(chosen, map[string]string{"Color": "red", "Size": "M"}) {
		t.Errorf("%v", chosen)
	}
}

func TestMatch(t *testing.T) {
	type held struct{ id, color string }
	list := []Planned{
		{Variant: shopadapter.Variant{ID: "1"}, Values: []string{"red"}},
		{Variant: shopadapter.Variant{ID: "2"}, Values: []string{"blue"}},
		{Variant: shopadapter.Variant{ID: "3"}, Values: []string{"green"}},
	}
	shop := []held{{"1", "red"}, {"1", "red"}, {"", "blue"}, {"2", "black"}, {"4", "green"}}
	wanted, surplus := match(
		list,
		shop,
		func(h *held) string { return h.id },
		func(h *held, p Planned) bool { return h.color == p.Values[0] },
	)
	if len(wanted) != 3 || wanted[0].Held != &shop[0] || !wanted[1].Unmade() || !wanted[2].Unmade() ||
		wanted[2].ID != "3" {
		t.Errorf("wanted are %v", wanted)
	}
	if !slices.Equal(surplus, []*held{&shop[1], &shop[3], &shop[4]}) {
		t.Errorf("surplus are %v", surplus)
	}
}

func TestPlanOptions(t *testing.T) {
	type held struct{ id, name string }
	want := []Choice{{Name: "Color", Values: []string{"red"}}, {Name: "Size"}}
	shop := []held{{"1", "Color"}, {"2", "Color"}, {"3", "Material"}, {"4", "Engraving"}}
	plan := PlanOptions(
		want,
		shop,
		func(h held) string { return h.name },
		func(h held) bool { return h.name == "Material" },
	)
	if len(plan.Add) != 1 || plan.Add[0].Name != "Size" || len(plan.Keep) != 1 || plan.Keep[0].Held != shop[0] ||
		plan.Keep[0].Values[0] != "red" ||
		!slices.Equal(plan.Remove, []held{shop[1], shop[2]}) ||
		!slices.Equal(plan.Foreign, []held{shop[3]}) ||
		!plan.Rebuilds() {
		t.Errorf("%+v", plan)
	}
	if plan := PlanOptions(want[:1], shop[:1], func(h held) string { return h.name }, nil); plan.Rebuilds() ||
		len(plan.Keep) != 1 {
		t.Errorf("%+v", plan)
	}
	if want[0].Name != "Color" || want[1].Name != "Size" {
		t.Errorf("the wanted options are changed: %v", want)
	}
}

// A list knows which of its variants the shop has.
func TestList(t *testing.T) {
	planned := []Planned{{Variant: shopadapter.Variant{ID: "a"}}, {Variant: shopadapter.Variant{ID: "b"}}}
	for _, tt := range []struct {
		name       string
		held       []string
		incomplete bool
		made       map[string]string
	}{
		{"none", nil, true, map[string]string{}},
		{"one", []string{"b"}, true, map[string]string{"b": "shop-b"}},
		{"all", []string{"b", "a"}, false, map[string]string{"a": "shop-a", "b": "shop-b"}},
	} {
		list, _ := match(
			planned,
			tt.held,
			func(id *string) string { return *id },
			func(*string, Planned) bool { return true },
		)
		if made := list.Made(func(id *string) string { return "shop-" + *id }); !maps.Equal(made, tt.made) ||
			list.Incomplete() != tt.incomplete {
			t.Errorf("%s: made %v, incomplete is %t", tt.name, made, list.Incomplete())
		}
	}
}
