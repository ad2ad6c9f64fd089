package cost

import (
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace/internal/document"
)

// A counting is a server that gives fields prices of their own.
type counting map[string]float64

// cost is what the server requests for d: a point for a field without a price.
func (c counting) cost(fields []document.Field) float64 {
	sum := 0.0
	for _, f := range fields {
		price, ok := c[f.Name]
		if !ok {
			price = 1
		}
		sum += price
		for i := range f.Sub {
			part := c.cost(f.Sub[i : i+1])
			if f.First > 0 && f.Sub[i].Name != "pageInfo" {
				part *= float64(f.First)
			}
			sum += part
		}
	}
	return sum
}

// TestTwoDocumentsTellBothTerms asks for the costs of documents that were never sent, of a server
// whose fields cost unlike any model.
func TestTwoDocumentsTellBothTerms(t *testing.T) {
	server := counting{"transformedUrl": 9, "inventoryQuantity": 5, "translations": 30, "listing": 0, "updatedAt": 3}
	for _, row := range []struct {
		name     string
		answered []document.Document
		asked    document.Document
	}{
		{"one size, larger", []document.Document{contentOf(20, 10), contentOf(3, 10)}, contentOf(60, 10)},
		{"one size, smaller", []document.Document{contentOf(20, 10), contentOf(30, 10)}, contentOf(1, 10)},
		{"two sizes", []document.Document{contentOf(20, 10), contentOf(3, 10), contentOf(20, 12)}, contentOf(60, 1)},
		{
			"two sizes, moved together",
			[]document.Document{contentOf(20, 10), contentOf(3, 4), contentOf(8, 4)},
			contentOf(60, 1),
		},
		{
			"other arguments",
			[]document.Document{listOf(100, byID), listOf(7, "after:$after,sort:UPDATED_AT_ASC")},
			listOf(50, "after:$after,sort:UPDATED_AT_ASC"),
		},
		{"aliases", []document.Document{lookAt(1, "updatedAt status productUrl"), lookAt(4, "updatedAt status "+
			"productUrl")}, lookAt(50, "updatedAt status productUrl")},
		{"mutations", []document.Document{reportOn(1), reportOn(2)}, reportOn(20)},
	} {
		t.Run(row.name, func(t *testing.T) {
			c := New()
			c.Adopt(1000)
			for _, d := range row.answered {
				c.Observe(d, d.Text(), server.cost(d.Body))
			}
			want := server.cost(row.asked.Body)
			if got := c.Estimate(row.asked, row.asked.Text()); got != want {
				t.Errorf("estimated at %g, want exactly %g", got, want)
			}
			if got := c.Reserve(row.asked, row.asked.Text()); got != want {
				t.Errorf("%g points are reserved, want exactly %g", got, want)
			}
		})
	}
}

// TestMutationsAreLearnedApart has a server whose mutations cost ten points more than their fields.
func TestMutationsAreLearnedApart(t *testing.T) {
	list, report, larger := listOf(10, byID), reportOn(1), listOf(100, byID)
	c := New()
	if got := c.Estimate(report, report.Text()); got != 17 {
		t.Errorf(
			"a report is estimated at %g before anything is known, want 7 for its fields and 10 for a server that "+
				"counts so",
			got,
		)
	}
	c.Observe(list, list.Text(), 44)
	c.Observe(report, report.Text(), 17)
	if got := c.Estimate(larger, larger.Text()); got != 1+3+400 {
		t.Errorf("a list is estimated at %g after a report, want %d", got, 1+3+400)
	}
	if two := reportOn(2); c.Estimate(two, two.Text()) != 34 {
		t.Errorf("two reports are estimated at %g, want 34", c.Estimate(two, two.Text()))
	}
}

// TestAServerThatChangesItsPrices is believed in what it says now.
func TestAServerThatChangesItsPrices(t *testing.T) {
	list := func(n int) document.Document { return listOf(n, byID) }
	c := New()
	for _, said := range []struct {
		n    int
		cost float64
	}{{10, 30}, {20, 50}, {40, 450}, {50, 550}} { // the third does not lie on the line of the first two
		c.Observe(list(said.n), list(said.n).Text(), said.cost)
	}
	if got := c.Estimate(list(100), list(100).Text()); got != 1050 {
		t.Errorf("estimated at %g, want 1050", got)
	}
}

// TestTheFirstOfAShapeReservesMore holds for what no answer has told of, and never for more of the
// bucket than need be.
func TestTheFirstOfAShapeReservesMore(t *testing.T) {
	list := listOf(50, byID)
	c := New()
	c.Adopt(1000)
	if got, want := c.Reserve(list, list.Text()), margin*351; got != want {
		t.Errorf("%g points are reserved, want %g", got, want)
	}
	large := listOf(90, byID)
	if got, want := c.Reserve(large, large.Text()), 90*7.0+1; got != want {
		t.Errorf("%g points are reserved of a bucket of 1000, want the %g of the worst model", got, want)
	}
	c.Observe(list, list.Text(), 52)
	if got := c.Reserve(large, large.Text()); got != 92 {
		t.Errorf("%g points are reserved after an answer, want 92", got)
	}
}
