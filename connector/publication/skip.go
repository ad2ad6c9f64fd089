package publication

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/store"
)

// Skip are the rules that keep entries out of the shop. What is on sale follows the supplier whatever they say.
type Skip struct {
	// in percent of what the retailer pays, by the price without VAT of the least profitable variant; nil: no rule
	MarginBelow *decimal.Decimal
	StockBelow  int // units of all variants together; 0: no rule
	DaysAbove   int // of sending to the country of prices, else to any; 0: no rule
	Categories  []CategoryPath
}

// skippedBy begins the reason by which byRecord knows an entry that a rule keeps out.
const skippedBy = "it is kept out: "

// skips returns the rule that keeps an entry out, with the figure. A hold makes no difference.
func (s *Settings) skips(rows []Row, t store.Terms) string {
	rows = slices.DeleteFunc(slices.Clone(rows), func(row Row) bool { return !row.quote.Price.IsPositive() })
	return cmp.Or(s.skipsCategory(t), s.skipsDays(t), s.skipsStock(rows), s.skipsMargin(rows, t))
}

func (s *Settings) skipsCategory(t store.Terms) string {
	for _, path := range s.Skip.Categories {
		if path.Depth(t.Branch) > 0 {
			return fmt.Sprintf("it is in the category %s (PUBSYNC_SKIP_CATEGORIES)", path)
		}
	}
	return ""
}

// skipsBlindly says why skips cannot tell yet.
func (s *Settings) skipsBlindly(t store.Terms) string {
	if len(s.Skip.Categories) == 0 || s.skipsCategory(t) != "" {
		return ""
	}
	return unplaced(t, "PUBSYNC_SKIP_CATEGORIES")
}

// wholeNumber finds the days in a text such as 2-4.
var wholeNumber = regexp.MustCompile(`[0-9]{1,4}`)

func (s *Settings) skipsDays(t store.Terms) string {
	to, advice := t.Delivery, "; PUBSYNC_SHIPPING_COUNTRY names the one that counts"
	if s.Price.Country != "" {
		to, advice = deliveriesTo(t.Delivery, s.Price.Country), ""
	}
	most, group := 0, ""
	for _, d := range to {
		for _, text := range wholeNumber.FindAllString(d.Days, -1) {
			if days, err := strconv.Atoi(text); err == nil && days > most {
				most, group = days, d.Group
			}
		}
	}
	if s.Skip.DaysAbove == 0 || most <= s.Skip.DaysAbove {
		return ""
	}
	return fmt.Sprintf("sending it to %s takes %d days, more than %d (PUBSYNC_SKIP_SHIPPING_DAYS_ABOVE)%s",
		group, most, s.Skip.DaysAbove, advice)
}

// skipsStock lets pass what can be ordered beyond its stock.
func (s *Settings) skipsStock(rows []Row) string {
	stock := 0
	for _, row := range rows {
		if stock += min(row.Supply.Quantity, s.Skip.StockBelow); row.Supply.Backorders {
			return ""
		}
	}
	if stock >= s.Skip.StockBelow {
		return ""
	}
	return fmt.Sprintf("the supplier has %d of it, fewer than %d (PUBSYNC_SKIP_STOCK_BELOW)", stock, s.Skip.StockBelow)
}

// skipsMargin counts an unknown cost as the lowest margin.
func (s *Settings) skipsMargin(rows []Row, t store.Terms) string {
	if s.Skip.MarginBelow == nil {
		return ""
	}
	fixed, _ := s.Price.fixedCosts(t)
	least, of := *s.Skip.MarginBelow, Row{}
	for _, row := range rows {
		cost := amountOf(row.Supply.Cost)
		margin, known := s.Price.margin(row.quote.Price, cost.Add(fixed))
		if !known || cost.IsZero() {
			return fmt.Sprintf("the cost of %s is not known, and so is not its margin (PUBSYNC_SKIP_MARGIN_BELOW)",
				cmp.Or(row.Title, row.ID))
		}
		if margin.LessThan(least) {
			least, of = margin, row
		}
	}
	if of.ID == "" {
		return ""
	}
	return fmt.Sprintf("the margin of %s at %s is %s %%, below %s %% (PUBSYNC_SKIP_MARGIN_BELOW)",
		cmp.Or(of.Title, of.ID), of.quote.Price.StringFixed(2), least.RoundFloor(1), s.Skip.MarginBelow)
}
