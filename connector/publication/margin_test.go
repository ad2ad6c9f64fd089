package publication

import (
	"math"
	"testing"

	"github.com/shopspring/decimal"
)

func TestMargin(t *testing.T) {
	rule := PriceRule{VAT: decimal.NewFromInt(21)}
	for _, tt := range []struct {
		name, price, cost string
		want              float64
		known             bool
	}{
		{"a price with VAT", "24.20", "10.00", 100, true},
		{"at the floor", "12.10", "10", 0, true},
		{"below the floor", "6.05", "10", -50, true},
		{"no cost", "24.20", "", 0, false},
		{"a cost of nothing", "24.20", "0.00", 0, false},
		{"no price", "", "10", 0, false},
		{"a cost that is no amount", "24.20", noAmount, 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, known := rule.Margin(tt.price, tt.cost)
			if known != tt.known {
				t.Fatalf("known %t, want %t", known, tt.known)
			}
			if math.Abs(got-tt.want) > 1e-9 {
				t.Errorf("%v %%, want %v %%", got, tt.want)
			}
		})
	}
}
