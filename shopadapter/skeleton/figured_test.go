package skeleton

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
)

// A product of figures alone has these, and Plan takes each variant once.
func TestFigured(t *testing.T) {
	figures := []shopadapter.Figures{
		{ID: "a", Price: "9.95", Cost: "5.00", MSRP: "12.95", Quantity: 3},
		{ID: "b", Price: "9.95", Quantity: 3, Backorders: true},
		{ID: "a", Price: "8.95"},
		{Price: "7.95"},
	}
	variants := make([]shopadapter.Variant, len(figures))
	for i, f := range figures {
		variants[i] = f.On(shopadapter.Variant{ID: f.ID})
	}
	p := figured(variants)
	if diff := cmp.Diff(figures, shopadapter.FiguresOf(p.Variants)); diff != "" {
		t.Errorf("the figures (-want +got):\n%s", diff)
	}
	refused, ids := Refused{}, []string{}
	for _, v := range plan(p, refused, func(v shopadapter.Variant) ([]string, string) { return Values(v, p.Options) }) {
		ids = append(ids, v.ID)
	}
	if diff := cmp.Diff([]string{"a", "b"}, ids); diff != "" || len(refused) != 2 {
		t.Errorf("planned (-want +got):\n%s\nrefused are %v", diff, refused)
	}
}
