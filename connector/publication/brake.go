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
// removals done in the last 24 hours. All of it is too much, and more than the share and than ten.
func (b Brake) RemovesTooMuch(onSale, recent, found int) bool {
	gone, had := decimal.NewFromInt(int64(found+recent)), decimal.NewFromInt(int64(onSale+recent))
	tooMany := found+recent > alwaysPass && gone.Mul(hundred).GreaterThan(had.Mul(b.RemovedPercent))
	return found > 0 && (found >= onSale || tooMany)
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
	rec   store.Record
	price *Pricer
	now   time.Time
	holds []store.Hold // in force, with the verdicts that were given before
}

// trips puts a change on the list, with the verdict that it has, in the place of the same one.
func (j *judge) trips(h store.Hold) store.Hold {
	if i := slices.IndexFunc(j.rec.Holds, h.Same); i >= 0 {
		was := j.rec.Holds[i]
		h.Since, h.Verdict, h.By = was.Since, was.Verdict, was.By
	}
	h.Since = cmp.Or(h.Since, store.At(j.now))
	j.holds = append(slices.DeleteFunc(j.holds, h.Same), h)
	return h
}

// A move is the change of a price that the shop may show.
type move struct {
	v        *shopadapter.Variant
	was      store.Variant
	q        Quote
	old      string // the price that stays while the new one is held; "": none was shown
	supply   store.Supply
	supplied bool // the supplier has other figures than the price was made from
	ruled    bool // other rules than it was made by make another price of the same figures
}

func (m move) hold(kind store.HoldKind, cause, format string, args ...any) *store.Hold {
	reason := fmt.Sprintf(format, append([]any{nameOf(m.v.Title, m.v.ID)}, args...)...)
	return &store.Hold{Kind: kind, Variant: m.v.ID, Old: m.old, New: m.v.Price, Cause: cause, Reason: reason}
}

// shows judges the price of a variant. A variant that is not shown must not be in the product, and
// refused says why where a person decided so.
func (j *judge) shows(v *shopadapter.Variant, row *Row, q Quote) (shown bool, refused string) {
	was, w := row.was, row.was.Written
	m := move{
		v: v, was: was, q: q, supply: row.Supply,
		supplied: w.Cost != v.Cost || w.MSRP != v.MSRP, ruled: movedByRules(j.price, w),
	}
	if row.ruled = m.ruled; len(pricesOf(was)) > 0 {
		m.old = shownOf(was).Price
	}
	if isSettled(was) && j.s.Keep.Has(shopadapter.FieldPrice) {
		return true, ""
	}
	before, then := j.byRules, j.far
	if m.supplied { // who approves other rules has not seen the supplier's mistake
		before, then = then, before
	}
	// The first brake that trips has the word. A new brake goes here.
	var trips *store.Hold
	for _, brake := range []func(move) *store.Hold{j.judged, j.first, j.unknown, before, then} {
		if trips = brake(m); trips != nil {
			break
		}
	}
	if trips == nil {
		return true, ""
	}
	h := j.trips(*trips)
	switch {
	case h.Verdict == store.Approved:
		return true, ""
	case m.old != "":
		j.keep(m, h)
		return true, ""
	case h.Verdict == store.Declined:
		refused = keptOutText(h)
	}
	return false, refused
}

// judged is the hold by which a person has judged the very price of a variant, whichever brake asked; nil
// for none.
func (j *judge) judged(m move) *store.Hold {
	i := slices.IndexFunc(j.rec.Holds, func(h store.Hold) bool {
		ours := h.Kind == store.HoldDrift && h.Verdict == store.Approved // that is no word on a move
		return h.Verdict != "" && !ours && h.Variant == m.v.ID && h.New == m.v.Price
	})
	if i < 0 {
		return nil
	}
	return &j.rec.Holds[i]
}

// first holds a first price that is far from its usual price. A mistaken percentage or ending
// would sell everything at such prices, and there is no earlier price to compare with. Where prices are
// made from the cost, one may be below the msrp as far as the floor allows.
func (j *judge) first(m move) *store.Hold {
	b, rule, price := j.s.Brake.FirstPrice, j.s.Price, m.q.Price
	usual, name := rule.usual(m.supply.Cost, m.supply.MSRP)
	cause, how, times := "high", "more", b.Most
	switch {
	case m.old != "" || !b.Most.IsPositive() || !usual.IsPositive():
		return nil
	case price.GreaterThan(usual.Mul(b.Most).RoundCeil(2)):
	case rule.Base != BaseCost && price.LessThan(usual.Mul(b.Least).RoundFloor(2)):
		cause, how, times = "low", "less", b.Least
	default:
		return nil
	}
	return m.hold(store.HoldFirstPrice, cause, "the first price of %s would be %s, %s than %s times its %s of %s: %s",
		m.v.Price, how, times, name, usual.StringFixed(2), strings.Join(m.q.Steps, "; "))
}

// unknown holds a price from which something is left out that is not known now. An approval lets
// it through without that.
func (j *judge) unknown(m move) *store.Hold {
	if m.old == "" || m.q.Lacks == "" || sameAmount(m.old, m.q.Price) {
		return nil
	}
	return m.hold(store.HoldPrice, "unknown", "the price of %s stays at %s: %s. Without that it would be %s",
		m.old, m.q.Lacks, m.v.Price)
}

// byRules holds a price that other rules make though no setting has changed. Where a person declined
// that, the price follows the supplier from then on.
func (j *judge) byRules(m move) *store.Hold {
	declined := slices.ContainsFunc(j.rec.Holds, func(h store.Hold) bool {
		return h.Kind == store.HoldRules && h.Variant == m.v.ID && h.Verdict == store.Declined
	})
	if m.old == "" || !j.s.HoldsRules || !m.ruled || sameAmount(m.old, m.q.Price) || declined && m.supplied ||
		isMerchants(j.rec, m.v.ID) {
		return nil
	}
	return m.hold(store.HoldRules, "",
		"the price of %s would move from %s to %s by other rules of pubsync's: no setting of yours has changed",
		m.old, m.v.Price)
}

// movedByRules reports whether the present rules make another price of the figures that the shown one
// was made from: then it is the rules that move it, and not the supplier.
func movedByRules(p *Pricer, w store.Written) bool {
	if w.Cost == "" && w.MSRP == "" {
		return false
	}
	q, err := p.Quote(w.Cost, w.MSRP)
	return err == nil && q.Lacks == "" && !sameAmount(w.Price, q.Price)
}

// far holds a price that moves too far from one that the shop may show, or showed a day ago. The
// variant keeps all figures of the last price that passed. A day begins anew where the merchant's
// own rules move the price.
func (j *judge) far(m move) *store.Hold {
	cause := "supplier"
	if !m.supplied && m.ruled {
		cause = "rules"
	}
	h := m.hold(store.HoldPrice, cause, "the price of %s would move from ")
	from, dayAgo := pricesOf(m.was), ""
	if j.now.Sub(m.was.Day.At.Time()).Abs() < day && !m.ruled {
		dayAgo = m.was.Day.Price
	}
	shown := len(from)
	from = append(from, dayAgo)
	for _, before := range j.rec.Holds { // it stays, even where the shown price has come nearer since
		if before.Same(*h) && before.Old != "" {
			from = append(from, before.Old)
		}
	}
	i := slices.IndexFunc(from, func(old string) bool { return j.s.Brake.movesFar(old, m.q.Price) })
	if i < 0 || m.old == "" {
		return nil
	}
	h.Old = from[i]
	h.Reason += fmt.Sprintf("%s to %s, more than %s %%", h.Old, h.New, j.s.Brake.PricePercent)
	switch {
	case m.old == h.Old:
	case i >= shown && h.Old == dayAgo:
		h.Reason += " within a day; " + m.old + " stays"
	default:
		h.Reason += "; " + m.old + " was let through before, and stays"
	}
	return h
}

// keep gives a variant the figures of the price that stays in the shop. While that lies below the
// floor of the supplier's present figures nothing of it is sold, but where the price is the
// merchant's own, or a changed floor alone put it there.
func (j *judge) keep(m move, h store.Hold) {
	v, w := m.v, shownOf(m.was)
	judged := h.Kind == store.HoldPrice || h.Kind == store.HoldRules && v.Cost != w.Cost
	shown, err := decimal.NewFromString(w.Price)
	v.Price, v.Cost, v.MSRP, h.Below = w.Price, w.Cost, w.MSRP, ""
	if judged && (err != nil || shown.LessThan(m.q.Floor)) {
		if v.Quantity > 0 || v.Backorders {
			h.Below = j.s.Price.floorText(m.q.Floor)
		}
		v.Quantity, v.Backorders = 0, false
	}
	if h.Below != "" && h.Verdict == store.Declined {
		h.Reason = soldOutBelow(w.Price, h)
	}
	j.trips(h)
}

// hasHold reports whether a person gave a verdict on a hold of a kind; "": one waits.
func hasHold(holds []store.Hold, kind store.HoldKind, v store.Verdict) bool {
	return slices.ContainsFunc(holds, func(h store.Hold) bool { return h.Kind == kind && h.Verdict == v })
}

// without is holds without some, in a list of its own: others may hold the one before.
func without(holds []store.Hold, some func(store.Hold) bool) []store.Hold {
	return slices.DeleteFunc(slices.Clone(holds), some)
}

// driftHeld reports whether prices that were changed in the shop stay until a person says that they
// are to be put right.
func driftHeld(holds []store.Hold) bool { return hasHold(holds, store.HoldDrift, "") }

// hold puts the holds of a decision in force, with those of the comparison. While prices that were
// changed in the shop are held no other price is written.
func (s *Settings) hold(st *Step) {
	before := st.rec.Holds
	st.rec.Holds = st.holds
	for _, h := range before {
		if h.Kind == store.HoldDrift && h.Verdict != store.Declined || st.standsDeclined(h) {
			st.rec.Holds = append(st.rec.Holds, h)
		}
	}
	if !driftHeld(st.rec.Holds) {
		return
	}
	for i := range st.Rows {
		row := &st.Rows[i]
		if w := row.was.Written; row.Shown && isSettled(row.was) {
			row.Written.Price, row.Written.Cost, row.Written.MSRP = w.Price, w.Cost, w.MSRP
			v := &st.Product.Variants[row.at]
			v.Price, v.Cost, v.MSRP = w.Price, w.Cost, w.MSRP
		}
	}
}

// standsDeclined reports whether a person declined that other rules move a price, which has not moved since.
func (st *Step) standsDeclined(h store.Hold) bool {
	v, _ := st.rec.Variant(h.Variant)
	return h.Kind == store.HoldRules && h.Verdict == store.Declined && v.Written.Price == h.Old &&
		!slices.ContainsFunc(st.holds, func(now store.Hold) bool { return now.Kind == h.Kind && now.Variant == h.Variant })
}

// keptOutText is why a publication or a variant stays out of the shop by a person's word.
func keptOutText(h store.Hold) string {
	if h.Kind == store.HoldForeign {
		return "it is left to the tool that made it, as you decided"
	}
	return "it is kept out, as you decided: " + h.Reason
}

func soldOutBelow(price string, h store.Hold) string {
	return "sold out: " + price + " is below " + h.Below
}

// GroupOf is the group of a held change, its kind and its cause:
//
//	price/supplier-up, -down                   the supplier moved a figure
//	price/rules-up, -down                      the merchant's rules have changed
//	price/unknown-up, -down                    a part of the price is not known
//	first-price/high, -low                     a new product or variant
//	removal/absent, /no-listing, /no-variants  the entry is gone, or has nothing to show
//	foreign, rules, drift                      have one cause each
func GroupOf(h store.Hold) string {
	cause := h.Cause
	switch {
	case h.Kind == store.HoldRemoval:
		cause = h.New
	case h.Kind == store.HoldPrice && moved(h.Old, h.New) > 0:
		cause += "-up"
	case h.Kind == store.HoldPrice:
		cause += "-down"
	}
	return strings.TrimSuffix(string(h.Kind)+"/"+strings.TrimPrefix(cause, "-"), "/")
}
