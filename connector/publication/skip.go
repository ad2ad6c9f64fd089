package publication

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
	"strconv"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Skip are the rules that keep entries out of the shop. What is on sale follows the supplier
// whatever they say. The zero Skip keeps nothing out.
type Skip struct {
	// in percent of what the retailer pays; nil: no rule. The margin is that of the least
	// profitable variant, by its price without VAT
	MarginBelow *decimal.Decimal `json:",omitempty"`
	StockBelow  int              `json:",omitempty"` // units of all variants together; 0: no rule
	DaysAbove   int              `json:",omitempty"` // of sending to the country of prices, else to any; 0: no rule
	Categories  []CategoryPath   `json:",omitempty"` // the branches
}

// skipped is the rule by which the publication is kept out, with the figure, "" for none. What is
// on sale, or off sale by the merchant's hand or until something can be bought, is never kept out.
func (d *Decision) skipped() string {
	p := d.rec.Problem
	if d.rec.OnSale || d.rec.Draft || d.rec.Unsellable != "" || p.Hidden || p.Gone {
		return ""
	}
	return d.by.Rules.skips(d.desired.offers, d.desired.terms)
}

// skippedBy begins the reason of an entry that a rule keeps out.
const skippedBy = "it is kept out: "

// mostOffers bounds the variants of which a record keeps the figures where its entry is kept out.
const mostOffers = 100

// staysOut is the rule by which an entry that was kept out stays so, with the figure as last read; ""
// where it does not, or where only another reading tells.
func (r Rules) staysOut(rec store.Record) string {
	if len(rec.Offers) == 0 || len(rec.Offers) == mostOffers || rec.OnSale || !rec.Terms.Known ||
		rec.Problem.Kind != store.ProblemRejected {
		return ""
	}
	quote := r.Price.For(rec.Terms).quoter()
	var offers []offer
	for _, s := range rec.Offers {
		q, err := quote(s.Cost, s.MSRP)
		if err != nil || q.Lacks != "" {
			return ""
		}
		cost, _ := parseAmount(s.Cost) //nolint:errcheck // zero is not known
		offers = append(offers, offer{
			name: "a variant", price: q.Price, cost: cost, quantity: s.Quantity, backorders: s.Backorders,
		})
	}
	return r.skips(offers, rec.Terms)
}

// An offer is a variant that may be sold, as the rules of Skip see it.
type offer struct {
	name       string
	price      decimal.Decimal
	cost       decimal.Decimal // zero: not known
	quantity   int             // the supplier's
	backorders bool
}

func offerOf(v shopadapter.Variant, q Quote, s store.Supply) offer {
	cost, _ := parseAmount(v.Cost) //nolint:errcheck // zero is not known
	return offer{
		name: nameOf(v.Title, v.ID), price: q.Price, cost: cost, quantity: s.Quantity, backorders: v.Backorders,
	}
}

// KeptOut is why a publication on sale would be kept out of the shop now, "" where it would not be.
func (r Rules) KeptOut(rec store.Record) string {
	if !rec.OnSale {
		return ""
	}
	var offers []offer
	for _, v := range rec.Variants {
		price, err := decimal.NewFromString(v.Price)
		if err != nil || v.Refused != "" || v.Unpriced {
			continue
		}
		cost, _ := parseAmount(v.Cost) //nolint:errcheck // zero is not known
		offers = append(offers, offer{
			name: nameOf(
				v.Title,
				v.ID,
			), price: price, cost: cost, quantity: v.Supplied.Quantity, backorders: v.Supplied.Backorders,
		})
	}
	return r.skips(offers, rec.Terms)
}

// skips is the rule by which an entry is kept out, with the figure, "" for none.
func (r Rules) skips(offers []offer, t store.Terms) string {
	for _, why := range []string{
		r.skipsCategory(t), r.skipsDays(t), r.skipsStock(offers), r.skipsMargin(offers, t),
	} {
		if why != "" {
			return why
		}
	}
	return ""
}

func (r Rules) skipsCategory(t store.Terms) string {
	for _, path := range r.Skip.Categories {
		if path.Depth(t.Branch) > 0 {
			return fmt.Sprintf("it is in the category %s (PUBSYNC_SKIP_CATEGORIES)", path)
		}
	}
	return ""
}

// skipsBlindly is why it is not known yet whether an entry is kept out, "" where it is.
func (r Rules) skipsBlindly(t store.Terms) string {
	if len(r.Skip.Categories) == 0 || !unplaced(t) || r.skipsCategory(t) != "" {
		return ""
	}
	return "the marketplace does not show yet which branch its category " + t.Branch[0] +
		" stands in, and PUBSYNC_SKIP_CATEGORIES goes by that"
}

// wholeNumber finds the days in a text such as 2-4.
var wholeNumber = regexp.MustCompile(`[0-9]{1,4}`)

// skipsDays goes by the longest time of sending to the country; without a country, to any.
func (r Rules) skipsDays(t store.Terms) string {
	if r.Skip.DaysAbove == 0 {
		return ""
	}
	to, advice := t.Delivery, "; PUBSYNC_SHIPPING_COUNTRY names the one that counts"
	if r.Price.Country != "" {
		to, advice = deliveriesTo(t.Delivery, r.Price.Country), ""
	}
	most, group := 0, ""
	for _, d := range to {
		for _, text := range wholeNumber.FindAllString(d.Days, -1) {
			if days, err := strconv.Atoi(text); err == nil && days > most {
				most, group = days, d.Group
			}
		}
	}
	if most <= r.Skip.DaysAbove {
		return ""
	}
	return fmt.Sprintf("sending it to %s takes %d days, more than %d (PUBSYNC_SKIP_SHIPPING_DAYS_ABOVE)%s",
		group, most, r.Skip.DaysAbove, advice)
}

// skipsStock counts what may be sold of all variants. One that can be ordered beyond its stock is
// never short of it.
func (r Rules) skipsStock(offers []offer) string {
	stock := 0
	for _, o := range offers {
		if o.backorders {
			return ""
		}
		stock += min(o.quantity, r.Skip.StockBelow)
	}
	if stock >= r.Skip.StockBelow {
		return ""
	}
	return fmt.Sprintf("the supplier has %d of it, fewer than %d (PUBSYNC_SKIP_STOCK_BELOW)", stock, r.Skip.StockBelow)
}

// skipsMargin goes by the variant with the lowest margin: the share of its price without VAT that
// is beyond its cost, in percent of that.
func (r Rules) skipsMargin(offers []offer, t store.Terms) string {
	if r.Skip.MarginBelow == nil {
		return ""
	}
	fixed, _ := r.Price.fixedCosts(t)
	offers = slices.Clone(offers)
	sort.Slice(offers, func(i, j int) bool {
		return offers[i].margin(r.Price.VAT, fixed).LessThan(offers[j].margin(r.Price.VAT, fixed))
	})
	for _, o := range offers {
		if o.cost.IsZero() {
			return fmt.Sprintf(
				"the cost of %s is not known, and so is not its margin (PUBSYNC_SKIP_MARGIN_BELOW)",
				o.name,
			)
		}
		if margin := o.margin(r.Price.VAT, fixed); margin.LessThan(*r.Skip.MarginBelow) {
			return fmt.Sprintf("the margin of %s at %s is %s %%, below %s %% (PUBSYNC_SKIP_MARGIN_BELOW)",
				o.name, o.price.StringFixed(2), margin.RoundFloor(1), r.Skip.MarginBelow)
		}
	}
	return ""
}

// nothing is a margin below all others: that of an unknown cost.
var nothing = decimal.NewFromInt(-1_000_000)

// margin is what the price leaves beyond cost and fixed costs, in percent of them.
func (o offer) margin(vat, fixed decimal.Decimal) decimal.Decimal {
	paid := o.cost.Add(fixed)
	if o.cost.IsZero() || !factor(vat).IsPositive() {
		return nothing
	}
	return o.price.Div(factor(vat)).Sub(paid).Mul(hundred).Div(paid)
}
