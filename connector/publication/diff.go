package publication

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Diff is what a step changes of a listing, field by field: plan, history, log and page print it. A
// listing that comes back, or leaves, has the field "listing"; a group that is written without a
// difference has its name. It is empty where nothing is called.
func Diff(r store.Record, st Step) (out []store.Change) {
	switch {
	case st.Do == Offline || st.Do == Delete:
		if r.Sale == store.OnSale {
			out = append(out, store.Change{Field: "listing", Old: "on sale", New: "off sale"})
		}
		return out
	case st.Do != Publish && st.Do != Figures:
		return nil
	case r.Removal.Done || r.Removal.Begun:
		out = append(out, store.Change{Field: "listing", Old: string(store.StateWithdrawn), New: string(store.StateLive)})
	case r.Sale == store.SoldOut:
		out = append(out, store.Change{Field: "listing", Old: "off sale", New: "on sale"})
	}
	const byVariant = figures | shopadapter.FieldVariants
	for group := shopadapter.Fields(1); group <= shopadapter.AllFields; group <<= 1 {
		switch {
		case !st.Changed.Has(group), byVariant.Has(group):
		case group == shopadapter.FieldTitle:
			out = append(out, store.Change{Field: "title", Old: r.Title, New: st.Product.Title})
		case r.Hashes[group] != st.Hashes[group], st.Creates():
			out = append(out, store.Change{Field: group.String()})
		}
	}
	out = append(out, st.diffVariants(r)...)
	if names := st.Changed.Names(); len(out) == 0 && len(names) > 0 {
		out = append(out, store.Change{Field: names[0]})
	}
	return out
}

func (st Step) diffVariants(r store.Record) (out []store.Change) {
	left := map[string]store.Variant{}
	for _, v := range r.Variants {
		if isInShop(v) {
			left[v.ID] = v
		}
	}
	all, sent := st.Changed.Has(shopadapter.FieldVariants), placesOf(st.Product.Variants, soldAs)
	for _, row := range st.Rows {
		was, had := left[row.ID]
		delete(left, row.ID)
		name := nameOf(row.Title, row.ID)
		add := func(field, old, now, why string) {
			if old != now {
				out = append(out, store.Change{Field: field, Variant: row.ID, Name: name, Old: old, New: now, Why: why})
			}
		}
		if !row.Shown {
			if had && !was.Seen.Gone && all {
				add("variants", nameOf(was.Title, row.ID), "", row.Refused)
			}
			continue
		}
		w, now := was.Written, st.Product.Variants[sent[row.ID]]
		if !had || was.Seen.Gone {
			why := ""
			if was.Seen.Gone {
				why = "deleted in the shop since " + seenSince(was) + ": made again"
			}
			add("variants", "", name, why)
			add("price", row.was.Written.Price, now.Price, "")
			continue
		}
		if st.Changed.Has(shopadapter.FieldPrice) { // of what somebody changed there, old is what the shop shows
			add("price", cmp.Or(was.Seen.Price, w.Price), now.Price, st.whyPrice(row, was))
			add("cost", w.Cost, now.Cost, "")
			add("msrp", w.MSRP, now.MSRP, "")
		}
		if st.Changed.Has(shopadapter.FieldStock) {
			why, own := "", strconv.Itoa(max(0, w.Quantity-was.Sold))
			if was.Seen.Quantity != "" {
				why = changedByHand(was, strconv.Itoa(now.Quantity))
			}
			add("quantity", cmp.Or(was.Seen.Quantity, own), strconv.Itoa(now.Quantity), why)
			add("backorders", strconv.FormatBool(w.Backorders), strconv.FormatBool(now.Backorders), "")
		}
		if all {
			add("sku", was.SKU, now.SKU, "")
			add("variants", nameOf(was.Title, row.ID), name, "")
			if was.Seen.Off && st.Ref.Revive {
				add("variants", "off sale", name, "switched off in the shop since "+seenSince(was)+": on sale again")
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(left)) {
		if v := left[id]; all && !v.Seen.Gone {
			out = append(out, store.Change{Field: "variants", Variant: id, Old: nameOf(v.Title, id)})
		}
	}
	return out
}

// whyPrice is why a price moves: the supplier's figure that moved in the same direction. Where none
// does, the rules have changed.
func (st Step) whyPrice(row Row, was store.Variant) (why string) {
	cost := moved(was.Written.Cost, row.Written.Cost)
	msrp := moved(was.Written.MSRP, row.Written.MSRP)
	price := moved(was.Written.Price, row.Written.Price)
	verb := map[int]string{1: " rose", -1: " fell"}[price]
	switch {
	case was.Seen.Price != "":
		why = changedByHand(was, row.Written.Price)
	case price == 0:
	case msrp == price:
		why = "the supplier's msrp" + verb
	case cost == price:
		why = "the supplier's cost" + verb
	default:
		why = "the rules have changed"
	}
	for _, h := range st.rec.Holds {
		if h.Variant == row.ID && h.New == row.Written.Price && h.Verdict == store.Approved && h.By != "" {
			why = strings.TrimPrefix(why+"; approved by "+h.By, "; ")
		}
	}
	return why
}

func changedByHand(was store.Variant, ours string) string {
	return "somebody changed it in the shop, seen since " + seenSince(was) + ": put back to " + ours
}

// A Planned is one change that a step would make, as a plan shows it.
type Planned struct {
	ID string `json:"id"`
	store.Change

	Title  string   `json:"title,omitempty"`
	Margin *float64 `json:"marginPercent,omitempty"` // of a new price, see [PriceRule.Margin]
}

// Planned are the changes of a step with what a person knows them by.
func (s *Settings) Planned(st Step) (out []Planned) {
	r := st.in.Rec
	sent := placesOf(st.Product.Variants, soldAs)
	for _, c := range Diff(r, st) {
		p := Planned{ID: r.ID, Change: c, Title: cmp.Or(st.Product.Title, r.Title)}
		if i, is := sent[c.Variant]; is && c.Field == shopadapter.FieldPrice.String() {
			p.Margin = s.marginOf(st.Product.Variants[i])
		}
		out = append(out, p)
	}
	return out
}

func (s *Settings) marginOf(v shopadapter.Variant) *float64 {
	percent, ok := s.Price.Margin(v.Price, v.Cost)
	if !ok {
		return nil
	}
	return new(math.Round(percent*10) / 10)
}

// A Creation is a listing that a step makes.
type Creation struct {
	ID       string       `json:"id"`
	Title    string       `json:"title"`
	Variants []FirstPrice `json:"variants"`
}

// A FirstPrice is a variant of a listing that is to be made.
type FirstPrice struct {
	ID     string   `json:"id"`
	Title  string   `json:"title"`
	Price  string   `json:"price"`
	Margin *float64 `json:"marginPercent,omitempty"` // nil: its cost is not known
}

// Creation is the listing that a step which Creates makes.
func (s *Settings) Creation(st Step) Creation {
	c := Creation{ID: st.in.Rec.ID, Title: st.Product.Title, Variants: []FirstPrice{}}
	for _, v := range st.Product.Variants {
		c.Variants = append(c.Variants, FirstPrice{ID: v.ID, Title: v.Title, Price: v.Price, Margin: s.marginOf(v)})
	}
	return c
}

const (
	mostChanges = 40 // of one event
	longestText = 96 // bytes of a value in it
)

// changed makes an event of changes, as many as are kept.
func changed(what string, changes []store.Change, now time.Time) store.Event {
	e := store.Event{At: store.At(now), What: what, More: max(0, len(changes)-mostChanges)}
	for _, c := range changes[:min(len(changes), mostChanges)] {
		for _, text := range []*string{&c.Variant, &c.Name, &c.Old, &c.New} {
			if len(*text) > longestText {
				*text = strings.ToValidUTF8((*text)[:longestText-len("…")], "") + "…"
			}
		}
		e.Changes = append(e.Changes, c)
	}
	return e
}

// note adds a sentence to the history, unless it is empty.
func note(e *store.Entry, what string, now time.Time) {
	if what != "" {
		e.Tell(store.Event{At: store.At(now), What: what})
	}
}

// tellWritten enters what a write changed. A second try at missing pictures that brought none is no
// change.
func tellWritten(e *store.Entry, st Step, changes []store.Change, l shopadapter.Listing, now time.Time) {
	const images = shopadapter.FieldImages
	created, before := st.Creates(), st.in.Rec.Pictures.Missing
	same := slices.EqualFunc(l.Missing, before, func(a shopadapter.Picture, b store.Picture) bool {
		return a.URL == b.URL
	})
	only := st.Changed == images && st.in.Rec.Hashes[images] == st.Hashes[images]
	if created {
		e.Tell(changed(store.WhatCreated, changes, now))
	} else if !(only && len(before) > 0 && same) {
		e.Tell(changed(store.WhatUpdated, changes, now))
	}
	if created || st.Changed.Has(shopadapter.FieldDescription) {
		note(e, st.cut, now)
	}
	for _, m := range l.Missing {
		if !slices.ContainsFunc(before, func(p store.Picture) bool { return p.URL == m.URL && p.Later == m.Later }) {
			note(e, "without a picture: "+m.Reason, now)
			return // one line is enough: the record names each picture
		}
	}
}

func tellHeld(e *store.Entry, before []store.Hold, now time.Time) {
	tellHolds(e, store.WhatHeld, without(e.Record.Holds, func(h store.Hold) bool {
		return h.Verdict != "" || slices.ContainsFunc(before, h.Same)
	}), "", now)
}

// tellHolds tells of holds, an event for each kind.
func tellHolds(e *store.Entry, what string, holds []store.Hold, by string, now time.Time) {
	for _, kind := range store.HoldKinds() {
		var list []store.Change
		for _, h := range holds {
			if h.Kind == kind {
				v, _ := e.Record.Variant(h.Variant)
				list = append(list, store.Change{
					Field: string(kind), Variant: h.Variant, Name: nameOf(v.Title, v.ID), Old: h.Old, New: h.New,
				})
			}
		}
		if len(list) > 0 {
			event := changed(what, list, now)
			event.By = by
			e.Tell(event)
		}
	}
}

// mostTold is how many changes a sentence tells.
const mostTold = 3

// Tell is an event as a sentence with numbers, of its first changes. Cost, msrp and backorders are told
// only where nothing else changed.
func Tell(e store.Event) string {
	beside := func(c store.Change) bool { return c.Field == "cost" || c.Field == "msrp" || c.Field == "backorders" }
	list := slices.DeleteFunc(slices.Clone(e.Changes), beside)
	if len(list) == 0 {
		list = e.Changes
	}
	var parts []string
	for _, c := range list[:min(len(list), mostTold)] {
		parts = append(parts, sentence(c))
	}
	if more := e.More + len(list) - len(parts); more > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", more))
	}
	what, told := e.What, strings.Join(parts, "; ")
	if e.By != "" {
		what += " by " + e.By
	}
	switch {
	case told == "":
		return what
	case e.What == store.WhatUpdated:
		return told
	default:
		return what + ": " + told
	}
}

func sentence(c store.Change) string {
	what := c.Field
	if what == "quantity" {
		what = "stock"
	}
	if name := nameOf(c.Name, c.Variant); name != "" && c.Field != "variants" {
		what += " of " + name
	}
	switch {
	case c.Old == "" && c.New == "":
	case c.Old == "":
		what += " " + c.New
	case c.New == "":
		what += " " + c.Old + " removed"
	default:
		what += " " + c.Old + " -> " + c.New
	}
	if c.Why != "" {
		what += ": " + c.Why
	}
	return what
}

const (
	yours      = "written when the listing was made, and yours from then on"
	minuteText = "2006-01-02 15:04 UTC"
)

// Explain tells how the price and the quantity of a variant came about: the sums over the supplier's
// figures as last read, what is held or was declined, and what the shop shows in their place.
func (s *Settings) Explain(r store.Record, v store.Variant) (price, stock []string) {
	w := v.Written
	stock = s.stockSum(v)
	if q, err := s.Price.For(r.Terms).Quote(v.Supply.Cost, v.Supply.MSRP); err == nil {
		price = q.Steps
		waits := func(h store.Hold) bool { return h.Variant == v.ID && h.Verdict != store.Approved }
		switch {
		case isMerchants(r, v.ID):
			price = append(price, w.Price+" is yours")
		case w.Price == "" || sameAmount(w.Price, q.Price):
		case slices.ContainsFunc(r.Holds, waits):
			price = append(price, "the shop keeps "+w.Price+" until somebody decides")
		default:
			price = append(price, "the shop has "+w.Price+": the settings have changed since it was written")
		}
	}
	for _, h := range r.Holds {
		if h.Variant == v.ID && h.Verdict == store.Declined {
			price = append(price, h.New+" was declined on "+h.Since.Time().UTC().Format(minuteText)+
				": it is not asked again until that figure moves, or `pubsync retry "+r.ID+"`")
		}
		if h.Variant == v.ID && h.Below != "" {
			stock = append(stock, soldOutBelow(w.Price, h))
		}
	}
	if v.Sent.Price != "" {
		price = append(price, v.Sent.Price+" was sent since, and whether the shop took it is not known yet")
	}
	if s.Keep.Has(shopadapter.FieldPrice) {
		price = append(price, yours)
	}
	for _, d := range differences(v.Seen) {
		text := seenText(v, d) + ": somebody changed it there"
		if isLeft(v, d) {
			text = leftText(v, d) + ": it is left until ours moves, or `pubsync retry " + r.ID + "`"
		}
		if d.Field == shopadapter.FieldPrice {
			price = append(price, text)
		} else {
			stock = append(stock, text)
		}
	}
	if v.Seen.Off {
		stock = append(stock, "switched off in the shop since "+seenSince(v)+": it stays off until `pubsync retry "+r.ID+"`")
	}
	return price, stock
}

// stockSum is the sum of the quantity that was last written. Of the units kept back only the number is
// known.
func (s *Settings) stockSum(v store.Variant) (lines []string) {
	w := v.Written
	if w.Quantity > 0 {
		lines = append(lines, fmt.Sprintf("offered %d - %d kept back = %d",
			w.Quantity+s.StockBuffer, s.StockBuffer, w.Quantity))
	} else {
		lines = append(lines, fmt.Sprintf(
			"offered no more than the %d kept back, or sold out while its price is held below the floor = 0", s.StockBuffer))
	}
	if v.Sold > 0 {
		lines = append(lines, fmt.Sprintf("the shop has sold %d that the supplier's figure does not show yet: %d are left "+
			"there", v.Sold, max(0, w.Quantity-v.Sold)))
	}
	if w.Backorders {
		lines = append(lines, "the supplier takes orders beyond that")
	}
	if s.Keep.Has(shopadapter.FieldStock) {
		lines = append(lines, yours)
	}
	return lines
}

// seenText is what the shop has in the place of a figure.
func seenText(v store.Variant, d store.Corrected) string {
	if d.Field == shopadapter.FieldVariants {
		return "deleted in the shop since " + seenSince(v)
	}
	return "the shop has " + d.Had + " since " + seenSince(v)
}

// leftText is seenText of a figure that was put right so often that it is left.
func leftText(v store.Variant, d store.Corrected) string {
	return fmt.Sprintf("%s, though it was put right %d times, by a plugin or its rounding perhaps",
		seenText(v, d), triesOf(v, d))
}

func seenSince(v store.Variant) string { return v.Seen.Since.Time().UTC().Format(minuteText) }

// Ways are what can have happened to what is held, and the command for each. They are told where that
// is not plain.
func Ways(r store.Record, h store.Hold) []string {
	if h.Kind != store.HoldForeign {
		return nil
	}
	return []string{
		"another tool put it on sale: `pubsync decline " + r.ID + "` leaves it to that tool, `pubsync approve " + r.ID +
			"` publishes it here too",
		"the store of pubsync was replaced, or the shop was: put the right store, or its backup, at PUBSYNC_STORE_PATH; " +
			"`pubsync approve --kind foreign` publishes the others anew",
	}
}

// WhyDue is why a publication is to be looked at.
func WhyDue(r store.Record, m store.Mark) string {
	switch {
	case m.Tries > 0 && r.Problem.Kind != "":
		return "another try"
	case m.Class == store.ClassSweep && m.Seen != "":
		return "the list shows a change"
	case m.Class == store.ClassFull && r.Pictures.LateAt != 0:
		return "pictures that could not be fetched"
	}
	return cmp.Or(map[store.Class]string{
		store.ClassAsked: "somebody asked for it", store.ClassHook: "a signed webhook",
		store.ClassNew: "it is new on the list", store.ClassRefresh: "not read for long",
		store.ClassRules: "prices and stock are decided anew, without a reading",
	}[m.Class], "its content is to be read")
}
