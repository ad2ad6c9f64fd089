package marketplace

import "testing"

func TestCostIsWhatTheSpecificationSays(t *testing.T) {
	f := assumed([]string{"en", "nl"})
	list := listDocument(f, 10, IDDesc, false)
	for _, row := range []struct {
		name string
		doc  document
		m    model
		want float64
	}{
		{"list, scalars free", list, model{}, 1 + 1 + 10*1},
		{"list, scalars 1", list, model{scalar: 1}, 1 + 3 + 10*(1+3)},
		{"list, pageInfo multiplied", list, model{scalar: 1, pageInfo: true}, 1 + 10*3 + 10*(1+3)},
		{"list, pageInfo multiplied, scalars free", list, model{pageInfo: true}, 1 + 10*1 + 10*1},
		{"look", lookDocument(f, 7, false), model{scalar: 1}, 7 * 2},
		{"report", reportDocument(f, 3), model{scalar: 1}, 3 * (1 + 3 + 3)},
	} {
		if got := row.m.cost(row.doc.body); got != row.want {
			t.Errorf("%s: %g, want %g", row.name, got, row.want)
		}
	}
}

// TestCostsAreLearned asks for the same estimate after answers of different servers.
func TestCostsAreLearned(t *testing.T) {
	f := assumed([]string{"en"})
	small, large := listDocument(f, 10, IDDesc, false), listDocument(f, 50, IDDesc, false)
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
		c := newCosts()
		c.observe(small, small.text(), row.answered)
		if got := c.estimate(large, large.text()); got != row.want {
			t.Errorf("%s: %g, want %g", row.name, got, row.want)
		}
		if got := c.estimate(small, small.text()); row.answered > 0 && got != row.answered {
			t.Errorf(
				"%s: the document that was answered is estimated at %g, want exactly %g",
				row.name,
				got,
				row.answered,
			)
		}
	}
}

func TestPlansGrowSmaller(t *testing.T) {
	f := assumed(nil)
	build := func(n int) document { return listDocument(f, n, IDDesc, false) }
	c := newCosts()
	if got := c.fit(400, largestPage, build); got != 57 {
		t.Errorf("%d entries fit 400 points at worst, want 57", got)
	}
	if got := c.fit(1, largestPage, build); got != 1 {
		t.Errorf("%d entries when none fits, want 1", got)
	}
	if c.adopt(1000); c.query() != 1000 {
		t.Errorf("a query may cost %g, want the bucket's 1000", c.query())
	}
	for _, row := range []struct{ cost, named, want float64 }{{600, 400, 400}, {400, 395, 200}, {100, 0, 50}} {
		if !c.lower(row.cost, row.named) || c.query() != row.want {
			t.Errorf("refused at %g naming %g: %g, want %g", row.cost, row.named, c.query(), row.want)
		}
	}
	if c.adopt(1000); c.query() != 50 {
		t.Errorf("the size of the bucket raised what was refused to %g", c.query())
	}
	if !c.shrink(57, 0) || c.fit(400, largestPage, build) != 28 || !c.shrink(28, 25) ||
		c.fit(400, largestPage, build) != 25 ||
		c.shrink(1, 0) {
		t.Error("pages do not shrink as they were refused")
	}
}
