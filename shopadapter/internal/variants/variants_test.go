package variants_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/internal/variants"
)

func TestSend(t *testing.T) {
	broken := errors.New("broken pipe")
	for _, row := range []struct {
		name     string
		inputs   string // one letter each; x is refused, ! breaks the connection
		requests string
		refused  variants.Refused
		err      error
	}{
		{"all taken", "abc", "abc", variants.Refused{}, nil},
		{"one refused", "axc", "axc a x c", variants.Refused{"x": "no x"}, nil},
		{"a refused one alone", "x", "x", variants.Refused{"x": "no x"}, nil},
		{"connection lost", "a!c", "a!c", variants.Refused{}, broken},
		{"connection lost after a refusal", "x!", "x! x !", variants.Refused{"x": "no x"}, broken},
	} {
		t.Run(row.name, func(t *testing.T) {
			inputs, refused := strings.Split(row.inputs, ""), variants.Refused{}
			var requests []string
			err := variants.Send(refused, inputs, inputs, func(some []string) error {
				requests = append(requests, strings.Join(some, ""))
				switch {
				case slices.Contains(some, "x"):
					return shopadapter.Reject("no x")
				case slices.Contains(some, "!"):
					return broken
				}
				return nil
			})
			if !errors.Is(err, row.err) || strings.Join(requests, " ") != row.requests || !maps.Equal(refused, row.refused) {
				t.Errorf("sent %q, refused %v, error %v", requests, refused, err)
			}
		})
	}
}

func TestNone(t *testing.T) {
	p := shopadapter.Product{Variants: []shopadapter.Variant{{ID: "1"}, {ID: "2"}}}
	for want, refused := range map[string]variants.Refused{
		"no variant can be sold: it has no price": {"2": "it has no price"},
		"the product has no variant":              {},
	} {
		if err := refused.None(p); shopadapter.Explain(err).Kind != shopadapter.Rejected || shopadapter.Explain(err).Message != want {
			t.Errorf("%v: %v", refused, err)
		}
	}
}

func TestValues(t *testing.T) {
	v := shopadapter.Variant{Options: []shopadapter.Option{{Name: "Size", Value: " L "}, {Name: "Color", Value: "Red"}, {Name: "Cut", Value: " "}}}
	for names, want := range map[string]string{"Color Size": "Red,L", "Size Cut": "it has no value for the option Cut", "Fit": "it has no value for the option Fit"} {
		values, why := variants.Values(v, strings.Fields(names))
		if got := strings.Join(values, ",") + why; got != want {
			t.Errorf("%s: %q, not %q", names, got, want)
		}
	}
}

func TestPlan(t *testing.T) {
	p := shopadapter.Product{Variants: []shopadapter.Variant{{ID: "1", Title: "red"}, {ID: "2", Title: "blank"}, {ID: "3", Title: "red"}, {ID: "4", Title: "blue"}}}
	refused := variants.Refused{}
	planned := variants.Plan(p, refused, func(v shopadapter.Variant) ([]string, string) {
		if v.Title == "blank" {
			return nil, "it has no value"
		}
		return []string{v.Title}, ""
	})
	if len(planned) != 2 || planned[0].ID != "1" || planned[1].ID != "4" || planned[1].Place != 3 || planned[1].Values[0] != "blue" {
		t.Errorf("planned is %+v", planned)
	}
	if want := (variants.Refused{"2": "it has no value", "3": "it has the same options as the variant red"}); !maps.Equal(refused, want) {
		t.Errorf("refused is %v", refused)
	}
}
