package publication

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A Brake says which changes need a person's approval, since they are too large.
type Brake struct {
	PricePercent decimal.Decimal // a move by a larger share is held
	// removals of a larger share of what is on sale are held, above alwaysPass
	RemovedPercent decimal.Decimal
	FirstPrice     Bounds // a first price outside is held
}

// Bounds are the multiples of the usual price between which a first price passes; zero: every price does.
type Bounds struct{ Least, Most decimal.Decimal }

const (
	day = 24 * time.Hour
	// alwaysPass is how many removals a day, or differences in a shop, one hand makes.
	alwaysPass = 10
)

func (b Brake) movesFar(from string, to decimal.Decimal) bool {
	before := amountOf(from)
	return before.IsPositive() && to.Sub(before).Abs().Mul(hundred).GreaterThan(before.Mul(b.PricePercent))
}

// RemovesTooMuch judges removals found together. recent are those of the last 24 hours, which onSale does not
// include. All of onSale is too much.
func (b Brake) RemovesTooMuch(onSale, recent, found int) bool {
	gone, had := decimal.NewFromInt(int64(found+recent)), decimal.NewFromInt(int64(onSale+recent))
	tooMany := found+recent > alwaysPass && gone.Mul(hundred).GreaterThan(had.Mul(b.RemovedPercent))
	return found > 0 && (found >= onSale || tooMany)
}

// VeryMany reports whether the changes in a shop are more than one hand's work.
func VeryMany(changed, products int) bool { return changed > alwaysPass && 5*changed > products }

// A judge lets approved changes pass, and withholds those that were declined or wait for a person.
type judge struct {
	s     *Settings
	rec   store.Record
	in    Input
	price *Pricer
	made  *Pricer // with the terms by which the settled prices were made: moves of terms are the supplier's
	last  *Pricer // with the terms as read before: where one price was held, those of the others
	holds []store.Hold
}

func heldAs(h store.Hold, before []store.Hold, now time.Time) store.Hold {
	h.Since = store.At(now)
	if i := slices.IndexFunc(before, h.Same); i >= 0 {
		h.Since, h.Verdict, h.By = before[i].Since, before[i].Verdict, before[i].By
	}
	return h
}

func (row *Row) hold(kind store.HoldKind, format string, args ...any) *store.Hold {
	reason := fmt.Sprintf(format, append([]any{cmp.Or(row.Title, row.ID)}, args...)...)
	return &store.Hold{Kind: kind, Variant: row.ID, Old: row.old, New: row.Written.Price, Reason: reason}
}

// shows judges the price of a row. refused says why a person keeps it out of the product.
func (j *judge) shows(row *Row) (shown bool, refused string) {
	w := row.was.Written
	row.supplied = w.Cost != row.Written.Cost || w.MSRP != row.Written.MSRP
	row.ruled = merchants(j.rec, row.ID) == "" && movedByRules(j.last, w) &&
		(j.made.lacks != "" || movedByRules(j.made, w))
	if isSettled(row.was) && j.s.Keep.Has(shopadapter.FieldPrice) { // it is the merchant's
		return true, ""
	}
	trips := j.trips(row)
	if trips == nil {
		return true, ""
	}
	h := heldAs(*trips, j.rec.Holds, j.in.Now)
	if row.old != "" && h.Verdict != store.Approved {
		j.keep(row, &h)
	}
	j.holds = append(slices.DeleteFunc(j.holds, h.Same), h)
	if row.old == "" && h.Verdict == store.Declined {
		refused = keptOutText(h)
	}
	return row.old != "" || h.Verdict == store.Approved, refused
}

// trips returns the hold by which a person judged this very price, whichever brake asked, else that of a brake. An
// approval of drift does not judge a move. After a decline of other rules the price follows the supplier.
func (j *judge) trips(row *Row) *store.Hold {
	declined, moves := false, !sameAmount(row.old, row.quote.Price)
	for _, h := range j.rec.Holds {
		if h.Variant != row.ID || h.Verdict == "" {
			continue
		}
		if h.New == row.Written.Price && (h.Kind != store.HoldDrift || h.Verdict != store.Approved) {
			return &h
		}
		declined = declined || h.Kind == store.HoldRules && h.Verdict == store.Declined
	}
	switch {
	case row.old == "":
		return j.first(row)
	case moves && row.quote.Lacks != "": // an approval lets it through without that part
		return row.hold(store.HoldPrice, "the price of %s stays at %s: %s. Without that it would be %s",
			row.old, row.quote.Lacks, row.Written.Price)
	}
	far := j.far(row)
	// an approval of other rules must not pass the supplier's mistake
	if !j.in.Ruled || !row.ruled || !moves || row.supplied && (declined || far != nil) {
		return far
	}
	return row.hold(store.HoldRules,
		"the price of %s would move from %s to %s by other rules of pubsync's: no setting of yours has changed",
		row.old, row.Written.Price)
}

// first holds a first price far from its usual price: a mistaken percentage or ending would sell everything at such
// prices. One made from the cost may be below the msrp.
func (j *judge) first(row *Row) *store.Hold {
	b, rule, price := j.s.Brake.FirstPrice, j.s.Price, row.quote.Price
	usual, name := rule.usual(row.Supply.Cost, row.Supply.MSRP)
	how, times := "more", b.Most
	switch {
	case !b.Most.IsPositive() || !usual.IsPositive():
		return nil
	case price.GreaterThan(usual.Mul(b.Most).RoundCeil(2)):
	case rule.Base != BaseCost && price.LessThan(usual.Mul(b.Least).RoundFloor(2)):
		how, times = "less", b.Least
	default:
		return nil
	}
	return row.hold(store.HoldFirstPrice, "the first price of %s would be %s, %s than %s times its %s of %s: %s",
		row.Written.Price, how, times, name, usual.StringFixed(2), strings.Join(row.quote.Steps, "; "))
}

// movedByRules reports whether the present rules make another price of the figures behind the shown one.
func movedByRules(p *Pricer, w store.Written) bool {
	if w.Cost == "" && w.MSRP == "" {
		return false
	}
	q, err := p.Quote(w.Cost, w.MSRP)
	return err == nil && q.Lacks == "" && !sameAmount(w.Price, q.Price)
}

// far holds a price that moves too far. It compares with prices that the shop may show or showed within a day, and
// with Old of its present hold.
func (j *judge) far(row *Row) *store.Hold {
	if row.was.Sent.Price == "" && sameAmount(row.old, row.quote.Price) {
		return nil
	}
	h, cause := row.hold(store.HoldPrice, "the price of %s would move from "), "the supplier moved its figures"
	if !row.supplied && row.ruled {
		cause = "your rules of prices have changed"
	}
	from := []string{row.was.Sent.Price}
	if ours := merchants(j.rec, row.ID); ours != "" { // the merchant's price ends with the supplier's move
		from = append(from, ours)
	} else if isSettled(row.was) {
		from = append(from, row.was.Written.Price)
	}
	if past := ofDay(row.was.Past, j.in.Now); len(past) > 0 && (row.supplied || !row.ruled) {
		from = append(from, past[0].Price)
	}
	for _, before := range j.rec.Holds { // it stays held, even where the shown price has come nearer
		if before.Same(*h) {
			from = append(from, before.Old)
		}
	}
	i := slices.IndexFunc(from, func(price string) bool { return j.s.Brake.movesFar(price, row.quote.Price) })
	if i < 0 {
		return nil
	}
	h.Old = from[i]
	h.Reason += fmt.Sprintf("%s to %s, more than %s %%, since %s", h.Old, h.New, j.s.Brake.PricePercent, cause)
	if h.Old != row.old {
		h.Reason += fmt.Sprintf("; %s was let through before, and stays", row.old)
	}
	return h
}

// keep gives a variant the price that stays in the shop. While that is below the floor of the present figures, the
// variant is sold out, unless a person or a changed floor put it there.
func (j *judge) keep(row *Row, h *store.Hold) {
	w := shownOf(row.was)
	judged := h.Kind == store.HoldPrice || h.Kind == store.HoldRules && row.Written.Cost != w.Cost
	row.Written = atPrice(row.Written, w)
	theirs := j.s.Keep.Has(shopadapter.FieldStock) // it is sold all the same
	if h.Below = ""; !judged || theirs || !amountOf(w.Price).LessThan(row.quote.Floor) {
		return
	}
	if row.Written.Quantity > 0 || row.Written.Backorders {
		h.Below = j.s.Price.floorText(row.quote.Floor)
		if h.Verdict == store.Declined {
			h.Reason = soldOutBelow(w.Price, *h)
		}
	}
	row.Written.Quantity, row.Written.Backorders = 0, false
}

// hasHold reports whether a hold of a kind has a verdict; "": whether one has none.
func hasHold(holds []store.Hold, kind store.HoldKind, v store.Verdict) bool {
	return slices.ContainsFunc(holds, func(h store.Hold) bool { return h.Kind == kind && h.Verdict == v })
}

// without copies the list, since others may hold the one before.
func without(holds []store.Hold, some func(store.Hold) bool) []store.Hold {
	return slices.DeleteFunc(slices.Clone(holds), some)
}

func driftHeld(holds []store.Hold) bool { return hasHold(holds, store.HoldDrift, "") }

// takeHolds adds to those of the decision the holds of drift, and the approval to publish what another tool made.
func (st *Step) takeHolds() {
	st.rec.Holds = append(st.holds, without(st.rec.Holds, func(h store.Hold) bool {
		let := h.Kind == store.HoldForeign && h.Verdict == store.Approved
		return !let && (h.Kind != store.HoldDrift || h.Verdict == store.Declined)
	})...)
}

func keptOutText(h store.Hold) string {
	if h.Kind == store.HoldForeign {
		return "it is left to the tool that made it, as you decided"
	}
	return "it is kept out, as you decided: " + h.Reason
}

func soldOutBelow(price string, h store.Hold) string {
	return "sold out: " + price + " is below " + h.Below
}
