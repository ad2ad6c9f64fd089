package shopify

import "testing"

// TestCostsAreLearned is what the next request of an operation is reserved at, after answers that
// named these requested costs for an estimate of 10.
func TestCostsAreLearned(t *testing.T) {
	for _, row := range []struct {
		name      string
		requested []float64
		want      float64
	}{
		{"nothing said", nil, 10},
		{"what was estimated", []float64{10}, 10},
		{"dearer", []float64{30}, 30},
		{"cheaper", []float64{5}, 5},
		{"dearer, then cheaper", []float64{30, 14}, 14},
		{"more than any request may cost", []float64{1e9}, costSingle},
		{"beyond reason, between others", []float64{20, 1e9, 20}, 20},
		{"nothing that is a cost", []float64{0, -1}, 10},
	} {
		c := &costs{ratios: map[string]float64{}}
		for _, requested := range row.requested {
			c.learn("Put", 10, requested)
		}
		if got := c.points("Put", 10); got != row.want {
			t.Errorf("%s: %g points, want %g", row.name, got, row.want)
		}
	}
}
