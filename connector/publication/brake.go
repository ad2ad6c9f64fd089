package publication

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A Brake says which changes are too large to be made without a person's approval.
type Brake struct {
	PricePercent decimal.Decimal // a price that moves by more than this share of the one before is held
	// removals are held that are more than this share of what is on sale, and more than alwaysPass
	RemovedPercent decimal.Decimal
	FirstPrice     Bounds // a first price outside of these is held
}

// Bounds are the multiples of the usual price between which a first price passes. The zero Bounds
// let every price pass.
type Bounds struct{ Least, Most decimal.Decimal }

const (
	day = 24 * time.Hour
	// alwaysPass is how many removals a day, and differences in a shop, one hand makes.
	alwaysPass = 10
)

func (b Brake) movesFar(from string, to decimal.Decimal) bool {
	before, err := decimal.NewFromString(from)
	return err == nil && before.IsPositive() &&
		to.Sub(before).Abs().Mul(hundred).GreaterThan(before.Mul(b.PricePercent))
}

// RemovesTooMuch judges the removals found together: onSale is what is on sale now, recent the
// removals done in the last 24 hours.
//
//	found+recent      of onSale+recent    verdict
//	nothing found                         done
//	everything                            held
//	> percent and > 10                    held
//	otherwise                             done
func (b Brake) RemovesTooMuch(onSale, recent, found int) bool {
	gone, had := decimal.NewFromInt(int64(found+recent)), decimal.NewFromInt(int64(onSale+recent))
	switch {
	case found == 0:
		return false
	case found >= onSale:
		return true
	default:
		return found+recent > alwaysPass && gone.Mul(hundred).GreaterThan(had.Mul(b.RemovedPercent))
	}
}

// VeryMany reports whether so many of the products were changed in the shop that it is more than one
// hand's work: more than ten, and more than one in five.
func VeryMany(changed, products int) bool { return changed > alwaysPass && 5*changed > products }

// BelievesGone reports whether a shop's list that lacks so many listings, of those that are on sale,
// proves that somebody deleted them. One that is missing is believed whatever its share.
func (b Brake) BelievesGone(missing, onSale int) bool {
	return missing <= 1 || !b.RemovesTooMuch(onSale, 0, missing)
}

// A judge holds what is too large of one publication. There is one rule for all kinds of hold: what
// a person approved passes, what was declined or waits is withheld.
type judge struct {
	s     *Settings
	rec   Record
	price *Pricer
	now   time.Time
	holds []Hold // in force, with the verdicts that were given before
}

// trips puts a change on the list, with the verdict that it has, and reports whether it is withheld.
// Who approves a price by other rules approves how far it moves, too.
func (j *judge) trips(h Hold) (Hold, bool) {
	h.Since = store.At(j.now)
	i := slices.IndexFunc(j.rec.Holds, func(was Hold) bool {
		let := was.Verdict == Approved && was.Kind == store.HoldRules && h.Kind == store.HoldPrice
		return was.Same(h) || let && was.Variant == h.Variant && was.New == h.New
	})
	if i >= 0 {
		was := j.rec.Holds[i]
		if h.Since, h.Verdict, h.By = was.Since, was.Verdict, was.By; h.Verdict == Declined {
			h.Reason = was.Reason
		}
	}
	j.list(h)
	return h, h.Verdict != Approved
}

// list puts a hold on the list, in the place of the same one.
func (j *judge) list(h Hold) {
	if i := slices.IndexFunc(j.holds, h.Same); i >= 0 {
		j.holds[i] = h
		return
	}
	j.holds = append(j.holds, h)
}

// shows judges the price of a variant: one that was shown before by its last prices, any other by
// its usual price. A variant that is not shown must not be in the product, and refused says why where
// a person decided so.
func (j *judge) shows(v *shopadapter.Variant, row *Row, q Quote) (shown bool, refused string) {
	was := row.was
	switch {
	case len(was.prices) == 0:
		return j.first(v, row, q)
	case was.settled && j.s.Keep.Has(shopadapter.FieldPrice):
	case j.declined(v, was, q), j.unknown(v, was, q), suppliers(v, was) && j.far(v, was, q), j.ruled(v, was, q),
		j.far(v, was, q):
	default:
		row.ruled = v.Price != was.v.Written.Price && suppliers(v, was) && movedByRules(j.price, was.v.Written)
	}
	return true, ""
}

// first withholds a first price that is far from its usual price. A mistaken percentage or ending
// would sell everything at such prices, and there is no earlier price to compare with.
func (j *judge) first(v *shopadapter.Variant, row *Row, q Quote) (shown bool, refused string) {
	why := j.s.Brake.farFromUsual(j.s.Price, q.Price, row.Supply)
	if why == "" {
		return true, ""
	}
	h, held := j.trips(Hold{
		Kind: store.HoldFirstPrice, Variant: v.ID, New: v.Price, Cause: heightOf(why),
		Reason: fmt.Sprintf("the first price of %s would be %s, %s: %s",
			nameOf(row.Title, v.ID), v.Price, why, strings.Join(q.Steps(), "; ")),
	})
	if h.Verdict == Declined {
		refused = keptOutText(h)
	}
	return !held, refused
}

// farFromUsual says how a first price is outside of the bounds, "" where it is not. Where prices are
// made from the cost, a price may be below the msrp as far as the floor allows.
func (b Brake) farFromUsual(rule PriceRule, price decimal.Decimal, s store.Supply) string {
	usual, name := rule.usual(s.Cost, s.MSRP)
	switch {
	case !b.FirstPrice.Most.IsPositive() || !usual.IsPositive():
		return ""
	case price.GreaterThan(usual.Mul(b.FirstPrice.Most).RoundCeil(2)):
		return fmt.Sprintf("more than %s times its %s of %s", b.FirstPrice.Most, name, cents{usual})
	case rule.Base != BaseCost && price.LessThan(usual.Mul(b.FirstPrice.Least).RoundFloor(2)):
		return fmt.Sprintf("less than %s times its %s of %s", b.FirstPrice.Least, name, cents{usual})
	default:
		return ""
	}
}

// heightOf is the cause of a first price that is far from the usual one.
func heightOf(why string) string {
	if strings.HasPrefix(why, "less") {
		return "low"
	}
	return "high"
}

// declined keeps the price of a variant where a person declined the very price that would take its
// place.
func (j *judge) declined(v *shopadapter.Variant, was former, q Quote) bool {
	for _, h := range j.rec.Holds {
		moves := h.Kind == store.HoldPrice || h.Kind == store.HoldRules || h.Kind == store.HoldDrift
		if moves && h.Verdict == Declined && h.Variant == v.ID && h.New == v.Price {
			j.keep(v, was, q, h)
			return true
		}
	}
	return false
}

// unknown withholds a price from which something is left out that is not known now. An approval lets
// it through without that.
func (j *judge) unknown(v *shopadapter.Variant, was former, q Quote) bool {
	old := was.show().Price
	if q.Lacks == "" || sameAmount(old, q.Price) {
		return false
	}
	h, held := j.trips(Hold{
		Kind: store.HoldPrice, Variant: v.ID, Old: old, New: v.Price, Cause: "unknown",
		Reason: fmt.Sprintf("the price of %s stays at %s: %s. Without that it would be %s",
			nameOf(v.Title, v.ID), old, q.Lacks, v.Price),
	})
	if held {
		j.keep(v, was, q, h)
	}
	return held
}

// ruled withholds a price that other rules make, where their change is held as one. A change that a
// person declined leaves each price that it would move.
func (j *judge) ruled(v *shopadapter.Variant, was former, q Quote) bool {
	old := was.show().Price
	if j.s.Ruling == "" || sameAmount(old, q.Price) || !movedByRules(j.price, was.v.Written) {
		return false
	}
	if j.s.Ruling == store.RulingDeclined && suppliers(v, was) {
		return false
	}
	why := ""
	if j.s.Unasked {
		why = " of pubsync's: no setting of yours has changed"
	}
	h, held := j.trips(Hold{
		Kind: store.HoldRules, Variant: v.ID, Old: old, New: v.Price,
		Reason: fmt.Sprintf(
			"the price of %s would move from %s to %s by other rules%s", nameOf(v.Title, v.ID), old, v.Price, why,
		),
	})
	if h.Verdict == "" && j.s.Ruling == store.RulingDeclined {
		h.Verdict = Declined
		j.list(h)
	}
	if held {
		j.keep(v, was, q, h)
	}
	return held || h.Verdict == Approved // a person let it move as far as it does
}

// suppliers reports whether the supplier has other figures of a variant than its price was made from.
func suppliers(v *shopadapter.Variant, was former) bool {
	return was.v.Written.Cost != v.Cost || was.v.Written.MSRP != v.MSRP
}

// movedByRules reports whether the present rules make another price of the figures that the shown one
// was made from: then it is the rules that move it, and not the supplier.
func movedByRules(p *Pricer, w Written) bool {
	if w.Cost == "" && w.MSRP == "" {
		return false
	}
	q, err := p.Quote(w.Cost, w.MSRP)
	return err == nil && q.Lacks == "" && !sameAmount(w.Price, q.Price)
}

// far withholds a price that moves too far from one that the shop may show, or showed a day ago. The
// variant keeps all figures of the last price that passed. A day begins anew where the merchant's
// own rules move the price.
func (j *judge) far(v *shopadapter.Variant, was former, q Quote) bool {
	h := Hold{Kind: store.HoldPrice, Variant: v.ID, New: v.Price, Cause: "supplier"}
	if !suppliers(v, was) && movedByRules(j.price, was.v.Written) {
		h.Cause = "rules"
	}
	from := slices.Clone(was.prices)
	if was.day != "" && !movedByRules(j.price, was.v.Written) {
		from = append(from, was.day)
	}
	for _, before := range j.rec.Holds { // it stays, even where the shown price has come nearer since
		if before.Same(h) && before.Old != "" {
			from = append(from, before.Old)
		}
	}
	i := slices.IndexFunc(from, func(old string) bool { return j.s.Brake.movesFar(old, q.Price) })
	if i < 0 {
		return false
	}
	h.Old = from[i]
	h.Reason = fmt.Sprintf("the price of %s would move from %s to %s, more than %s %%",
		nameOf(v.Title, v.ID), h.Old, h.New, j.s.Brake.PricePercent)
	switch show := was.show().Price; {
	case show != h.Old && was.day == h.Old && !slices.Contains(was.prices, h.Old):
		h.Reason += " within a day; " + show + " stays"
	case show != h.Old:
		h.Reason += "; " + show + " was let through before, and stays"
	}
	h, held := j.trips(h)
	if held {
		j.keep(v, was, q, h)
	}
	return held
}

// keep gives a variant the figures of the price that stays in the shop. While that lies below the
// floor of the supplier's present figures nothing of it is sold, but where the price is the
// merchant's own, or a changed floor alone put it there.
func (j *judge) keep(v *shopadapter.Variant, was former, q Quote, h Hold) {
	w := was.show()
	costs := v.Cost != w.Cost
	v.Price, v.Cost, v.MSRP = w.Price, w.Cost, w.MSRP
	h.Below = ""
	if shown, err := decimal.NewFromString(w.Price); h.Kind == store.HoldPrice || h.Kind == store.HoldRules && costs {
		if err != nil || shown.LessThan(q.Floor) {
			if v.Quantity > 0 || v.Backorders {
				h.Below = j.s.Price.floorText(q.Floor)
			}
			v.Quantity, v.Backorders = 0, false
		}
	}
	if h.Below != "" && h.Verdict == Declined {
		h.Reason = "sold out: " + w.Price + " is below " + h.Below
	}
	j.list(h)
}

func sameAmount(text string, amount decimal.Decimal) bool {
	d, err := decimal.NewFromString(text)
	return err == nil && d.Equal(amount)
}

// keptOutText is why a publication or a variant stays out of the shop by a person's word.
func keptOutText(h Hold) string {
	if h.Kind == store.HoldForeign {
		return "it is left to the tool that made it, as you decided"
	}
	return "it is kept out, as you decided: " + h.Reason
}
