package publication

import (
	"maps"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A written event is one that a write adds to the history, with its moves.
type writtenEvent struct {
	store.Event

	moves []store.Move
}

// recordWritten adds to the history what a write changed of a listing that the shop had, from what
// to what, and why. There is at least one event. It goes after the record has the new figures.
func (d *Decision) recordWritten(cut string, now time.Time) {
	groups := d.Changed
	var events []writtenEvent
	if old := d.start.Title; groups.Has(shopadapter.FieldTitle) && old != "" && old != d.Product.Title {
		groups &^= shopadapter.FieldTitle
		events = append(events, writtenEvent{
			Event: store.Event{Kind: store.EventTitle, Why: d.whyWritten(shopadapter.FieldTitle)},
			moves: []store.Move{{Old: old, New: d.Product.Title}},
		})
	}
	if moves := d.movedVariants(); len(moves) > 0 && groups.Has(shopadapter.FieldVariants) {
		groups &^= shopadapter.FieldVariants
		events = append(events, writtenEvent{
			Event: store.Event{Kind: store.EventVariants, Why: d.whyWritten(shopadapter.FieldVariants)}, moves: moves,
		})
	}
	events = append(events, d.movedFigures()...)
	if len(events) > 0 {
		groups &^= figures
	}
	if groups != shopadapter.NoFields {
		events = append(events, writtenEvent{Event: store.Event{
			Kind: store.EventWritten, What: joined(groups.String(), "; ", cut), Why: d.whyWritten(groups),
		}})
	}
	for _, e := range events {
		d.addEvent(e.Event, e.moves, now)
	}
}

// recordCreated adds to the history that a listing was made, and with which prices.
func (d *Decision) recordCreated(cut string, now time.Time) {
	var moves []store.Move
	for _, v := range d.Product.Variants {
		moves = append(moves, store.Move{Variant: v.ID, New: v.Price})
	}
	d.addEvent(store.Event{Kind: store.EventCreated, What: cut}, moves, now)
}

// addEvent adds an event with moves to the history.
func (d *Decision) addEvent(e store.Event, moves []store.Move, now time.Time) {
	e.Moved, e.More = store.PackMoves(moves)
	d.rec.History = appendEvent(d.rec.History, e, now)
}

// movedVariants is the variants that come, go or are renamed by a write, by their names.
func (d *Decision) movedVariants() (moves []store.Move) {
	before := writtenVariants(d.start)
	for _, v := range d.Product.Variants {
		w, had := before[v.ID]
		delete(before, v.ID)
		switch now := nameOf(v.Title, v.ID); {
		case !had:
			moves = append(moves, store.Move{Variant: v.ID, New: now})
		case nameOf(w.Title, v.ID) != now:
			moves = append(moves, store.Move{Variant: v.ID, Old: nameOf(w.Title, v.ID), New: now})
		}
	}
	for _, id := range slices.Sorted(maps.Keys(before)) {
		moves = append(moves, store.Move{Variant: id, Old: nameOf(before[id].Title, id)})
	}
	return moves
}

// movedFigures is the prices and quantities that a write changes, an event for each reason.
func (d *Decision) movedFigures() (events []writtenEvent) {
	before := writtenVariants(d.start)
	add := func(e store.Event, m store.Move) {
		same := func(w writtenEvent) bool { return w.Event == e }
		i := slices.IndexFunc(events, same)
		if i < 0 {
			i, events = len(events), append(events, writtenEvent{Event: e})
		}
		events[i].moves = append(events[i].moves, m)
	}
	for _, v := range d.Product.Variants {
		w, had := before[v.ID]
		if had && d.Changed.Has(shopadapter.FieldPrice) && (w.Price != v.Price || w.Cost != v.Cost || w.MSRP != v.MSRP) {
			add(store.Event{
				Kind: store.EventPrice, Why: d.whyPrice(w, v), By: d.approverOf(v),
			}, store.Move{Variant: v.ID, Old: w.Price, New: v.Price})
		}
		if !had {
			add(store.Event{Kind: store.EventPrice, By: d.approverOf(v)}, store.Move{Variant: v.ID, New: v.Price})
		}
		if old, now := stockOf(w.Quantity, w.Backorders), stockOf(v.Quantity, v.Backorders); had && old != now &&
			d.Changed.Has(shopadapter.FieldStock) {
			add(store.Event{Kind: store.EventStock, Why: d.whyStock(w, v)}, store.Move{Variant: v.ID, Old: old, New: now})
		}
	}
	sort.SliceStable(events, func(i, j int) bool { return events[i].Kind < events[j].Kind })
	return events
}

// stockOf is a quantity in the history; with a plus more can be ordered.
func stockOf(quantity int, backorders bool) string {
	if backorders {
		return strconv.Itoa(quantity) + "+"
	}
	return strconv.Itoa(quantity)
}

// whyPrice is why a price moves: the supplier's figure that moved in the same direction, the one
// that prices are made from before the other. Where neither does, the rules have changed, or a brake
// holds the price no longer.
func (d *Decision) whyPrice(w store.Variant, v shopadapter.Variant) (why store.Why) {
	byRules := store.Why(0)
	if d.mark.Cause&(store.CauseRules|store.CauseSettings) != 0 {
		byRules = store.WhyRules
	}
	cost := figureMoved(w.Cost, v.Cost, store.WhyCostRose, store.WhyCostFell)
	msrp := figureMoved(w.MSRP, v.MSRP, store.WhyMSRPRose, store.WhyMSRPFell)
	if w.Price == v.Price {
		return cost | msrp
	}
	rises := figureMoved(w.Price, v.Price, store.WhyCostRose|store.WhyMSRPRose, store.WhyCostFell|store.WhyMSRPFell)
	first, second := msrp&rises, cost&rises
	if d.by.Rules.Price.Base == BaseCost {
		first, second = second, first
	}
	switch {
	case first != 0:
		return first | byRules
	case second != 0:
		return second | byRules
	case byRules != 0 || msrp|cost == 0 && d.approverOf(v) == "":
		return store.WhyRules
	default:
		return msrp | cost
	}
}

func figureMoved(old, now string, rose, fell store.Why) store.Why {
	a, err := decimal.NewFromString(old)
	b, wrong := decimal.NewFromString(now)
	switch {
	case err != nil || wrong != nil || a.Equal(b):
		return 0
	case b.GreaterThan(a):
		return rose
	default:
		return fell
	}
}

// whyStock is why a quantity moves.
func (d *Decision) whyStock(w store.Variant, v shopadapter.Variant) store.Why {
	held := func(holds []store.Hold) bool {
		return slices.ContainsFunc(holds, func(h store.Hold) bool { return h.Variant == v.ID })
	}
	switch offers := d.desired.supply[v.ID].Quantity; {
	case v.Quantity == 0 && offers > d.by.Rules.StockBuffer && held(d.rec.Holds):
		return store.WhyHeld
	case offered(w) != offers:
		return store.WhyOffered
	case w.Quantity == 0 && held(d.start.Holds):
		return store.WhyReleased
	case d.mark.Cause&(store.CauseRules|store.CauseSettings) != 0:
		return store.WhyRules
	default:
		return store.WhySupplier
	}
}

// approverOf names who approved the price of a variant, "" where no one had to.
func (d *Decision) approverOf(v shopadapter.Variant) string {
	for _, h := range d.start.Approved {
		if h.Variant == v.ID && h.New == v.Price {
			return d.start.ApprovedBy
		}
	}
	return ""
}

// whyWritten is why groups are written that are no figures.
func (d *Decision) whyWritten(groups shopadapter.Fields) store.Why {
	removal := d.start.Removal
	switch {
	case d.remade:
		return store.WhyRemade
	case removal.Done || removal.Begun:
		return store.WhyListedAgain
	case d.start.Reset&groups != 0:
		return store.WhyAsked
	case d.by.wrong(d.start)&groups != 0:
		return store.WhyShop
	case d.start.Attempted&groups != 0:
		return store.WhyUnsettled
	case d.mark.Cause&store.CauseSettings != 0:
		return store.WhyRules
	case d.mark.Cause&^(store.CauseAsked|store.CauseRetry) == 0 && d.mark.Cause&store.CauseAsked != 0:
		return store.WhyAsked
	default:
		return store.WhySupplier
	}
}

// recordHeld adds to the history what a brake holds from now on.
func recordHeld(r *store.Record, before []store.Hold, now time.Time) {
	for _, kind := range store.HoldKinds() {
		fresh := only(r.Holds, func(h store.Hold) bool {
			_, had := sameHold(before, h)
			return h.Kind == kind && !had
		})
		if len(fresh) > 0 {
			r.History = appendEvent(r.History, holdEvent(store.EventHeld, fresh, ""), now)
		}
	}
}

// restate has the state of a record follow from the rest of it. It adds to the history that a
// publication stands well again: that it does not, or is on its way, other events say.
func restate(r *store.Record, before store.State, now time.Time) {
	r.State = StateOf(*r)
	if before == "" || before == store.StatePending || before == r.State ||
		r.State != store.StateLive && r.State != store.StatePartial {
		return
	}
	e := store.Event{Kind: store.EventState}
	e.Moved, e.More = store.PackMoves([]store.Move{{Old: string(before), New: string(r.State)}})
	r.History = appendEvent(r.History, e, now)
}

// News are the events that a record's history has beyond that of the record before.
func News(before, after store.Record) (news []store.Event) {
	for _, e := range after.History {
		if !slices.Contains(before.History, e) {
			news = append(news, e)
		}
	}
	return news
}

// Updates reports whether an event is of a write to a listing that the shop had.
func Updates(e store.Event) bool {
	switch e.Kind {
	case store.EventPrice, store.EventStock, store.EventTitle, store.EventVariants, store.EventWritten:
		return true
	case store.EventText:
		return strings.HasPrefix(e.What, "updated ") // of an earlier version
	default:
		return false
	}
}
