package publication

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

const (
	mostChanges = 40 // of one event
	longestText = 96 // bytes of a value
	mostTold    = 3  // in a sentence
)

// tell adds an event to the history: by a person, or "".
func tell(e *store.Entry, what, by string, now time.Time, changes ...store.Change) {
	event := store.Event{At: store.At(now), What: what, By: by, More: max(0, len(changes)-mostChanges)}
	for _, c := range changes[:min(len(changes), mostChanges)] {
		for _, text := range []*string{&c.Variant, &c.Name, &c.Old, &c.New} {
			if len(*text) > longestText {
				*text = strings.ToValidUTF8((*text)[:longestText-len("…")], "") + "…"
			}
		}
		event.Changes = append(event.Changes, c)
	}
	if what != "" {
		e.Tell(event)
	}
}

func note(e *store.Entry, what string, now time.Time) { tell(e, what, "", now) }

func tellWritten(e *store.Entry, st Step, changes []store.Change, l shopadapter.Listing, now time.Time) {
	const images = shopadapter.FieldImages
	before, what := st.in.Rec.Pictures.Missing, store.WhatUpdated
	if st.Creates() {
		what = store.WhatCreated
	}
	again := st.Changed == images && st.in.Rec.Hashes[images] == st.Hashes[images] && len(before) > 0
	if !again || len(l.Missing) < len(before) {
		tell(e, what, "", now, changes...)
	}
	for _, m := range l.Missing {
		if !slices.ContainsFunc(before, func(p store.Picture) bool { return p.URL == m.URL && p.Later == m.Later }) {
			note(e, "without a picture: "+m.Reason, now)
			return // the record names each picture
		}
	}
}

func tellHeld(e *store.Entry, before []store.Hold, now time.Time) {
	tellHolds(e, store.WhatHeld, without(e.Record.Holds, func(h store.Hold) bool {
		return h.Verdict != "" || slices.ContainsFunc(before, h.Same)
	}), "", now)
}

func tellHolds(e *store.Entry, what string, holds []store.Hold, by string, now time.Time) {
	var list []store.Change
	for _, h := range holds {
		v, _ := e.Record.Variant(h.Variant)
		list = append(list, store.Change{
			Field: string(h.Kind), Variant: h.Variant, Name: cmp.Or(v.Title, v.ID), Old: h.Old, New: h.New,
		})
	}
	if len(list) > 0 {
		tell(e, what, by, now, list...)
	}
}

// Tell returns an event as a sentence of its first changes.
func Tell(e store.Event) string {
	list := slices.DeleteFunc(slices.Clone(e.Changes), func(c store.Change) bool {
		return slices.Contains([]string{"cost", "msrp", "backorders"}, c.Field)
	})
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
	case e.What == store.WhatUpdated, e.What == store.WhatState:
		return told
	}
	return what + ": " + told
}

func sentence(c store.Change) string {
	what := c.Field
	if what == "quantity" {
		what = "stock"
	}
	if name := cmp.Or(c.Name, c.Variant); name != "" && c.Field != "variants" {
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

// Explain tells how the price and the quantity of a variant came about.
func (s *Settings) Explain(r store.Record, v store.Variant) (price, stock []string) {
	const yours = "written when the listing was made, and yours from then on"
	say := func(to *[]string, is bool, format string, args ...any) {
		if is {
			*to = append(*to, fmt.Sprintf(format, args...))
		}
	}
	w, known, again := v.Written, v.Supply.Known, "`pubsync retry "+r.ID+"`"
	if q, err := s.Price.For(r.Terms).Quote(v.Supply.Cost, v.Supply.MSRP); err == nil {
		price = q.Steps
		waits := func(h store.Hold) bool { return h.Variant == v.ID && h.Verdict != store.Approved }
		switch {
		case merchants(r, v.ID) != "":
			say(&price, true, "%s is yours", w.Price)
		case w.Price == "" || sameAmount(w.Price, q.Price), s.Keep.Has(shopadapter.FieldPrice):
		case slices.ContainsFunc(r.Holds, waits):
			say(&price, true, "the shop keeps %s in its place", cmp.Or(v.Seen.Price, w.Price))
		default:
			say(&price, true, "the shop has %s: the settings have changed since it was written", w.Price)
		}
	}
	offered := max(0, v.Supply.Quantity-s.StockBuffer)
	say(&stock, known, "offered %d - %d kept back = %d", v.Supply.Quantity, s.StockBuffer, offered)
	say(&stock, known && w.Price != "" && w.Quantity != offered, "%d was written last", w.Quantity)
	say(&stock, !known, "the shop has %d: what the supplier has is not read yet", w.Quantity)
	say(&stock, v.Sold > 0, "the shop has sold %d that the supplier's figure does not show yet: %d are left there",
		v.Sold, max(0, w.Quantity-v.Sold))
	say(&stock, w.Backorders, "the supplier takes orders beyond that")
	say(&stock, s.Keep.Has(shopadapter.FieldStock), yours)
	for _, h := range r.Holds {
		if h.Variant == v.ID {
			say(&price, h.Verdict == store.Declined,
				"%s was declined on %s: it is not asked again until that figure moves, or %s",
				h.New, h.Since.Time().UTC().Format("2006-01-02 15:04 UTC"), again)
			say(&stock, h.Below != "", "%s", soldOutBelow(w.Price, h))
		}
	}
	say(&price, v.Sent.Price != "", "%s was sent since, and whether the shop took it is not known yet", v.Sent.Price)
	say(&price, s.Keep.Has(shopadapter.FieldPrice), yours)
	for _, d := range differences(v.Seen) {
		to, why := &stock, "somebody changed it there"
		if d.field == shopadapter.FieldPrice {
			to = &price
		}
		if isLeft(v, d) {
			why = "it is left until ours moves, or " + again
		}
		say(to, true, "%s: %s", seenText(v, d), why)
	}
	say(&stock, v.Seen.Off, "switched off in the shop: it stays off until %s", again)
	return price, stock
}

func seenText(v store.Variant, d difference) string {
	text := "the shop has " + d.had
	if d.field == shopadapter.FieldVariants {
		text = "deleted in the shop"
	}
	if isLeft(v, d) {
		text += fmt.Sprintf(", though it was put right %d times, by a plugin or its rounding perhaps", v.Corrected[d.field])
	}
	return text
}

// Diff returns what a step changes. A listing that comes back or leaves has the field "listing". If nothing
// differs, the first written group stands for all.
func Diff(r store.Record, st Step) (out []store.Change) {
	listing := func(old, now string) { out = append(out, store.Change{Field: "listing", Old: old, New: now}) }
	switch leaves := st.Do == Offline || st.Do == Delete; {
	case leaves && r.Sale == store.OnSale:
		listing("on sale", "off sale")
		return out
	case st.Do != Publish && st.Do != Figures:
		return nil
	case r.Removal.Done || r.Removal.Begun:
		listing(string(store.StateWithdrawn), string(store.StateLive))
	case r.Sale == store.SoldOut:
		listing("off sale", "on sale")
	}
	for group := shopadapter.Fields(1); group <= shopadapter.AllFields; group <<= 1 {
		switch {
		case !st.Changed.Has(group), (figures | shopadapter.FieldVariants).Has(group): // see diffVariants
		case group == shopadapter.FieldTitle && r.Title != st.Product.Title:
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
	content := st.Changed.Has(shopadapter.FieldVariants)
	for _, row := range st.Rows {
		was, had := left[row.ID]
		delete(left, row.ID)
		w, name, before, gone := was.Written, cmp.Or(row.Title, row.ID), cmp.Or(was.Title, row.ID), was.Seen.Gone
		add := func(is bool, field, old, now, why string) {
			if is && old != now {
				out = append(out, store.Change{Field: field, Variant: row.ID, Name: name, Old: old, New: now, Why: why})
			}
		}
		if !row.Shown {
			add(had && !gone && content, "variants", before, "", row.Refused)
			continue
		}
		now := st.Product.Variants[row.at]
		if !had || gone {
			add(gone, "variants", "", name, "deleted in the shop: made again")
			add(!gone, "variants", "", name, "")
			add(true, "price", row.was.Written.Price, now.Price, "")
			continue
		}
		// of what somebody changed there, old is what the shop shows
		price, stock := st.Changed.Has(shopadapter.FieldPrice), st.Changed.Has(shopadapter.FieldStock)
		own, quantity := strconv.Itoa(max(0, w.Quantity-was.Sold)), strconv.Itoa(now.Quantity)
		add(price, "price", cmp.Or(was.Seen.Price, w.Price), now.Price, changedByHand(was.Seen.Price, row.Written.Price))
		add(price, "cost", w.Cost, now.Cost, "")
		add(price, "msrp", w.MSRP, now.MSRP, "")
		add(stock, "quantity", cmp.Or(was.Seen.Quantity, own), quantity, changedByHand(was.Seen.Quantity, quantity))
		add(stock, "backorders", strconv.FormatBool(w.Backorders), strconv.FormatBool(now.Backorders), "")
		add(content, "sku", was.SKU, now.SKU, "")
		add(content, "variants", before, name, "")
		add(content && was.Seen.Off && st.Ref.Revive, "variants", "off sale", name, "switched off in the shop: on sale again")
	}
	for _, id := range slices.Sorted(maps.Keys(left)) {
		if v := left[id]; content && !v.Seen.Gone {
			out = append(out, store.Change{Field: "variants", Variant: id, Old: cmp.Or(v.Title, id)})
		}
	}
	return out
}

func changedByHand(seen, ours string) string {
	if seen == "" {
		return ""
	}
	return "somebody changed it in the shop: put back to " + ours
}

// A Planned is one change of a step, as a plan shows it.
type Planned struct {
	ID string `json:"id"`
	store.Change

	Title string `json:"title,omitempty"`
}

// Planned returns a step's changes.
func (st Step) Planned() (out []Planned) {
	r := st.in.Rec
	for _, c := range Diff(r, st) {
		out = append(out, Planned{ID: r.ID, Change: c, Title: cmp.Or(st.Product.Title, r.Title)})
	}
	return out
}

// Prices returns the lowest and the highest price of a step's product, or the one that all its variants have.
func (st Step) Prices() string {
	var prices []string
	for _, v := range st.Product.Variants {
		prices = append(prices, v.Price)
	}
	low, high := Span(prices)
	if high == low {
		return low
	}
	return low + " - " + high
}

// Span returns the lowest and the highest of prices, "" of none.
func Span(prices []string) (low, high string) {
	for _, price := range prices {
		if low == "" || amountOf(price).LessThan(amountOf(low)) {
			low = price
		}
		if high == "" || amountOf(price).GreaterThan(amountOf(high)) {
			high = price
		}
	}
	return low, high
}
