package vendure

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// Prices are integers of the shop's precision; without tax where the channel adds it.
func TestPricesHaveTheShopsPrecision(t *testing.T) {
	adds, includes := false, true
	for _, row := range []struct {
		name      string
		inclusive *bool
		precision int32
		setting   shopadapter.PricesMode
		price     string
		want      int64
	}{
		{"with tax", &includes, 2, "auto", "20.02", 2002},
		{"three decimals", &includes, 3, "auto", "19.95", 19950},
		{"without tax", &adds, 2, "auto", "20.02", 1655},
		{"without tax, three decimals", &adds, 3, "auto", "20.02", 16545},
		{"without tax, written gross", &adds, 2, "gross", "20.02", 2002},
		{"without tax, written net", &adds, 2, "net", "20.02", 1655},
		{"a channel that does not say", nil, 2, "auto", "20.02", 2002},
	} {
		t.Run(row.name, func(t *testing.T) {
			w := planning(t, row.setting)
			w.view.Channel.PricesIncludeTax, w.view.Global.ServerConfig.Precision = row.inclusive, row.precision
			w.p = lamp("p", 1)
			w.p.Variants[0].Price = row.price
			if err := w.plan(); err != nil {
				t.Fatal(err)
			}
			if got := w.prices[w.p.Variants[0].ID]; got != row.want {
				t.Errorf("got %d, want %d", got, row.want)
			}
		})
	}
}

// planning is a write of a product that the shop does not have.
func planning(t *testing.T, prices shopadapter.PricesMode, changes ...string) *write {
	t.Helper()
	a := (&script{}).open(t, changes...)
	a.set.Prices, a.vat = prices, "21"
	return &write{a: a, refused: kit.Refused{}, prices: map[string]int64{}, Merge: kit.Merge{Own: true}}
}

// Details go to the fields that the owner has declared, as they are declared, and to no other.
func TestDeclaredFields(t *testing.T) {
	all := map[string]string{
		"pubsyncStamp": "text", "ean": "string", "weight": "float", "length": "float", "width": "float", "height": "float",
		"diameter": "float", "volume": "string", "origin": "string", "materials": "string list", "tags": "string list",
		"leadTime": "string", "caseQuantity": "int",
	}
	p := laws.WithDetails(lamp("p", 1), 0)
	whole := map[string]any{
		"ean": p.Variants[0].EAN, "weight": 1050.0, "length": 20.5, "width": 10.0, "height": 40.0,
		"diameter": 12.0, "volume": "0.1", "origin": "NL", "leadTime": "DAYS_3", "tags": []any{"ECO", "SEASON_0"},
		"materials": []any{"STEEL", "LINEN_0"}, "caseQuantity": 6.0,
	}
	without := func(changes map[string]any, names ...string) map[string]any {
		m := maps.Clone(whole)
		maps.Copy(m, changes)
		maps.DeleteFunc(m, func(name string, _ any) bool { return slices.Contains(names, name) })
		return m
	}
	for name, row := range map[string]struct {
		declared map[string]string // changes; "" takes the field away
		settings []string
		want     map[string]any
	}{
		"all of them":         {nil, nil, whole},
		"without a note":      {map[string]string{"pubsyncStamp": ""}, nil, map[string]any{}},
		"without one of them": {map[string]string{"origin": ""}, nil, without(nil, "origin")},
		"a list as a text": {
			map[string]string{"materials": "string"}, nil, without(map[string]any{"materials": "STEEL, LINEN_0"}),
		},
		"whole numbers":    {map[string]string{"length": "int"}, nil, without(map[string]any{"length": 21.0})},
		"numbers as texts": {map[string]string{"weight": "string"}, nil, without(map[string]any{"weight": "1050"})},
		"a switch":         {map[string]string{"volume": "boolean"}, nil, without(nil, "volume")},
		"read-only":        {map[string]string{"width": "float readonly"}, nil, without(nil, "width")},
		"other units": {
			nil,
			[]string{"WEIGHT_UNIT", "kg", "DIMENSION_UNIT", "mm"},
			without(map[string]any{"weight": 1.05, "length": 205.0, "width": 100.0, "height": 400.0, "diameter": 120.0}),
		},
	} {
		t.Run(name, func(t *testing.T) {
			declared := maps.Clone(all)
			maps.Copy(declared, row.declared)
			var fields []customField
			for name, kind := range declared {
				if words := strings.Fields(kind); len(words) > 0 {
					fields = append(fields, customField{
						Name: name, Type: words[0], List: slices.Contains(words, "list"), ReadOnly: slices.Contains(words, "readonly"),
					})
				}
			}
			w := planning(t, "auto", row.settings...)
			w.p, w.fillable = p, detailFields([]entityFields{{"Product", fields}, {"ProductVariant", fields}})
			planned := w.planDetails(kit.Wanted[variant]{Planned: kit.Planned{Variant: p.Variants[0]}})
			delete(planned, noteField)
			text, err := json.Marshal(planned)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]any{}
			if err := json.Unmarshal(text, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("fields (-want +got):\n%s", diff)
			}
		})
	}
}
