package shopadapter_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
)

func TestUnits(t *testing.T) {
	kg, lb := shopadapter.Units{Weight: "kg", Length: "cm"}, shopadapter.Units{Weight: "lbs", Length: "in"}
	for _, tt := range []struct {
		name, got, want string
	}{
		{"kg to g", kg.WeightIn("1.25", "g"), "1250"},
		{"kg to kg", kg.WeightIn("1.250", "kg"), "1.25"},
		{"kg to the shop's word for kilograms", kg.WeightIn("1.25", "KILOGRAMS"), "1.25"},
		{"kg to lb", kg.WeightIn("1", "lb"), "2.2046"},
		{"lb to g", lb.WeightIn("2", "g"), "907.1847"},
		{"cm to mm", kg.LengthIn("12.5", "mm"), "125"},
		{"cm to m", kg.LengthIn("12.5", "m"), "0.125"},
		{"in to cm", lb.LengthIn("10", "cm"), "25.4"},
		{"too small to show", kg.WeightIn("0.0000001", "kg"), ""},
		{"zero", kg.WeightIn("0.00", "g"), ""},
		{"negative", kg.WeightIn("-1", "g"), ""},
		{"no number", kg.WeightIn("1,25", "g"), ""},
		{"an exponent", kg.WeightIn("1e999999999", "g"), ""},
		{"an unknown unit", kg.WeightIn("1", "stone"), ""},
		{"a length for a weight", kg.WeightIn("1", "cm"), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, tt.got, tt.want)
		}
	}
	if !kg.KnowsUnits() {
		t.Error("kg and cm: got unknown, want known")
	}
	if (shopadapter.Units{Weight: "stone", Length: "cm"}).KnowsUnits() {
		t.Error("stone: got known, want unknown")
	}
}

// Details stand beside the other fields of a variant in the protocol, those that there are.
func TestDetailsInAVariant(t *testing.T) {
	data, err := json.Marshal(shopadapter.Variant{
		ID: "v", Options: []shopadapter.Option{},
		Details: shopadapter.Details{Weight: "0.5", Tags: []string{"NEW", "ECO"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if got["weight"] != "0.5" {
		t.Errorf("weight: got %v, want 0.5", got["weight"])
	}
	if diff := cmp.Diff([]any{"NEW", "ECO"}, got["tags"]); diff != "" {
		t.Errorf("tags (-want +got):\n%s", diff)
	}
	if _, there := got["volume"]; there {
		t.Errorf("volume: got %v, want none", got["volume"])
	}
}
