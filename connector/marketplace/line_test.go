package marketplace

import (
	"testing"
)

// A counting is a server that gives fields prices of their own.
type counting map[string]float64

// cost is what the server requests for d: a point for a field without a price.
func (c counting) cost(fields []field) float64 {
	sum := 0.0
	for _, f := range fields {
		price, ok := c[f.name]
		if !ok {
			price = 1
		}
		sum += price
		for i := range f.sub {
			part := c.cost(f.sub[i : i+1])
			if f.first > 0 && f.sub[i].name != "pageInfo" {
				part *= float64(f.first)
			}
			sum += part
		}
	}
	return sum
}

// TestTwoDocumentsTellBothTerms asks for the costs of documents that were never sent, of a server
// whose fields cost unlike any model.
func TestTwoDocumentsTellBothTerms(t *testing.T) {
	f := assumed([]string{"en", "nl"})
	server := counting{"transformedUrl": 9, "inventoryQuantity": 5, "translations": 30, "listing": 0, "updatedAt": 3}
	content := func(variants, images int) document {
		return contentDocument(f, pages{variants: variants, images: images})
	}
	for _, row := range []struct {
		name     string
		answered []document
		asked    document
	}{
		{"one size, larger", []document{content(20, 10), content(3, 10)}, content(60, 10)},
		{"one size, smaller", []document{content(20, 10), content(30, 10)}, content(1, 10)},
		{"two sizes", []document{content(20, 10), content(3, 10), content(20, 12)}, content(60, 1)},
		{"two sizes, moved together", []document{content(20, 10), content(3, 4), content(8, 4)}, content(60, 1)},
		{"other arguments", []document{listDocument(f, 100, IDDesc, false), listDocument(f, 7, UpdatedAtAsc, true)}, listDocument(f, 50, UpdatedAtAsc, true)},
		{"aliases", []document{lookDocument(f, 1, true), lookDocument(f, 4, true)}, lookDocument(f, 50, true)},
		{"mutations", []document{reportDocument(f, 1), reportDocument(f, 2)}, reportDocument(f, 20)},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := newCosts()
			c.adopt(1000)
			for _, d := range row.answered {
				c.observe(d, d.text(), server.cost(d.body))
			}
			want := server.cost(row.asked.body)
			if got := c.estimate(row.asked, row.asked.text()); got != want {
				t.Errorf("estimated at %g, want exactly %g", got, want)
			}
			if got := c.reserve(row.asked, row.asked.text()); got != want {
				t.Errorf("%g points are reserved, want exactly %g", got, want)
			}
		})
	}
}

// TestMutationsAreLearnedApart has a server whose mutations cost ten points more than their fields.
func TestMutationsAreLearnedApart(t *testing.T) {
	f := assumed(nil)
	list, report, larger := listDocument(
		f,
		10,
		IDDesc,
		false,
	), reportDocument(
		f,
		1,
	), listDocument(
		f,
		100,
		IDDesc,
		false,
	)
	c := newCosts()
	if got := c.estimate(report, report.text()); got != 17 {
		t.Errorf(
			"a report is estimated at %g before anything is known, want 7 for its fields and 10 for a server that "+
				"counts so",
			got,
		)
	}
	c.observe(list, list.text(), 44)
	c.observe(report, report.text(), 17)
	if got := c.estimate(larger, larger.text()); got != 1+3+400 {
		t.Errorf("a list is estimated at %g after a report, want %d", got, 1+3+400)
	}
	if two := reportDocument(f, 2); c.estimate(two, two.text()) != 34 {
		t.Errorf("two reports are estimated at %g, want 34", c.estimate(two, two.text()))
	}
}

// TestAServerThatChangesItsPrices is believed in what it says now.
func TestAServerThatChangesItsPrices(t *testing.T) {
	f := assumed(nil)
	list := func(n int) document { return listDocument(f, n, IDDesc, false) }
	c := newCosts()
	for _, said := range []struct {
		n    int
		cost float64
	}{{10, 30}, {20, 50}, {40, 450}, {50, 550}} { // the third does not lie on the line of the first two
		c.observe(list(said.n), list(said.n).text(), said.cost)
	}
	if got := c.estimate(list(100), list(100).text()); got != 1050 {
		t.Errorf("estimated at %g, want 1050", got)
	}
}

// TestTheFirstOfAShapeReservesMore holds for what no answer has told of, and never for more of the
// bucket than need be.
func TestTheFirstOfAShapeReservesMore(t *testing.T) {
	f := assumed(nil)
	list := listDocument(f, 50, IDDesc, false)
	c := newCosts()
	c.adopt(1000)
	if got, want := c.reserve(list, list.text()), doubt*351; got != want {
		t.Errorf("%g points are reserved, want %g", got, want)
	}
	large := listDocument(f, 90, IDDesc, false)
	if got, want := c.reserve(large, large.text()), 90*7.0+1; got != want {
		t.Errorf("%g points are reserved of a bucket of 1000, want the %g of the worst model", got, want)
	}
	c.observe(list, list.text(), 52)
	if got := c.reserve(large, large.text()); got != 92 {
		t.Errorf("%g points are reserved after an answer, want 92", got)
	}
}
