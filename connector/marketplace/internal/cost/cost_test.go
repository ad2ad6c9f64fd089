package cost

import (
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
)

func TestCostIsWhatTheSpecificationSays(t *testing.T) {
	list := listOf(10, byID)
	for _, row := range []struct {
		name string
		doc  document.Document
		m    model
		want float64
	}{
		{"list, scalars free", list, model{}, 1 + 1 + 10*1},
		{"list, scalars 1", list, model{scalar: 1}, 1 + 3 + 10*(1+3)},
		{"list, pageInfo multiplied", list, model{scalar: 1, pageInfo: true}, 1 + 10*3 + 10*(1+3)},
		{"list, pageInfo multiplied, scalars free", list, model{pageInfo: true}, 1 + 10*1 + 10*1},
		{"look", lookAt(7, "updatedAt"), model{scalar: 1}, 7 * 2},
		{"report", reportOn(3), model{scalar: 1}, 3 * (1 + 3 + 3)},
	} {
		if got := row.m.Cost(row.doc.Body); got != row.want {
			t.Errorf("%s: %g, want %g", row.name, got, row.want)
		}
	}
}

// TestCostsAreLearned asks for the same estimate after answers of different servers.
func TestCostsAreLearned(t *testing.T) {
	small, large := listOf(10, byID), listOf(50, byID)
	for _, row := range []struct {
		name     string
		answered float64 // requested cost of the small document
		want     float64 // estimate of the large one
	}{
		{name: "nothing known: the worst", want: 1 + 150 + 200},
		{name: "scalars free", answered: 12, want: 1 + 1 + 50},
		{name: "scalars 1", answered: 44, want: 1 + 3 + 200},
		{name: "pageInfo multiplied", answered: 71, want: 351},
		{name: "no model fits, cheaper: it grows no faster than the page", answered: 20, want: 100},
		{name: "no model fits, twice as dear", answered: 142, want: 710},
	} {
		c := New()
		c.Observe(small, small.Text(), row.answered)
		if got := c.Estimate(large, large.Text()); got != row.want {
			t.Errorf("%s: %g, want %g", row.name, got, row.want)
		}
		if got := c.Estimate(small, small.Text()); row.answered > 0 && got != row.answered {
			t.Errorf(
				"%s: the document that was answered is estimated at %g, want exactly %g", row.name, got, row.answered,
			)
		}
	}
}

func TestPlansGrowSmaller(t *testing.T) {
	build := func(n int) document.Document { return listOf(n, byID) }
	c := New()
	if got := c.Fit(400, LargestPage, build); got != 57 {
		t.Errorf("%d entries fit 400 points at worst, want 57", got)
	}
	if got := c.Fit(1, LargestPage, build); got != 1 {
		t.Errorf("%d entries when none fits, want 1", got)
	}
	if c.Adopt(1000); c.Query() != 1000 {
		t.Errorf("a query may cost %g, want the bucket's 1000", c.Query())
	}
	for _, row := range []struct{ cost, named, want float64 }{{600, 400, 400}, {400, 395, 200}, {100, 0, 50}} {
		switch {
		case !c.Lower(row.cost, row.named):
			t.Errorf(
				"refused at %g naming %g: %g, want %g; c.Lower(row.cost, row.named): got false, want true", row.cost,
				row.named, c.Query(), row.want,
			)
		case c.Query() != row.want:
			t.Errorf(
				"refused at %g naming %g: %g, want %g; c.Query(): got %v, want %v", row.cost, row.named, c.Query(), row.want,
				c.Query(), row.want,
			)
		}
	}
	if c.Adopt(1000); c.Query() != 50 {
		t.Errorf("the size of the bucket raised what was refused to %g, want %v", c.Query(), 50)
	}
	switch {
	case !c.Shrink(57, 0):
		t.Errorf("pages do not shrink as they were refused; c.Shrink(57, 0): got false, want true")
	case c.Fit(400, LargestPage, build) != 28:
		t.Errorf(
			"pages do not shrink as they were refused; c.Fit(400, LargestPage, build): got %v, want %v",
			c.Fit(400, LargestPage, build), 28,
		)
	case !c.Shrink(28, 25):
		t.Errorf("pages do not shrink as they were refused; c.Shrink(28, 25): got false, want true")
	case c.Fit(400, LargestPage, build) != 25:
		t.Errorf(
			"pages do not shrink as they were refused; c.Fit(400, LargestPage, build): got %v, want %v",
			c.Fit(400, LargestPage, build), 25,
		)
	case c.Shrink(1, 0):
		t.Errorf("pages do not shrink as they were refused; c.Shrink(1, 0): got true, want false")
	}
}
