package publication

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// creates reports whether a step makes a listing that the shop does not have.
func (st Step) creates() bool {
	r := st.in.Rec
	// a try that failed may have left a draft; what was taken over is there
	unmade := r.ShopID == "" || r.Sale != OnSale && r.Problem.Kind != ""
	return st.Do == Publish && (r.WrittenAt == 0 && unmade || st.remade)
}

// Creates reports whether a step makes a listing that the shop does not have.
func (st Step) Creates() bool { return st.creates() }

// Diff is what a step changes of a listing, field by field: plan, history, log and page print it. A
// listing that comes back, or leaves, has the field "listing"; a group that is written without a
// difference has its name. It is empty where nothing is called.
func Diff(r Record, st Step) (out []Change) {
	listing := func(old, now string) []Change { return []Change{{Field: "listing", Old: old, New: now}} }
	switch {
	case st.Do == Offline || st.Do == Delete:
		if r.Sale != OnSale {
			return nil
		}
		return listing("on sale", "off sale")
	case st.Do != Publish && st.Do != Figures:
		return nil
	case r.Removal.Done || r.Removal.Begun:
		out = listing(string(store.StateWithdrawn), string(store.StateLive))
	case r.Sale == SoldOut:
		out = listing("off sale", "on sale")
	}
	d := differ{st: st, title: map[string]string{}}
	d.product(r)
	out = append(out, d.out...)
	for group := shopadapter.Fields(1); len(out) == 0 && group <= shopadapter.AllFields; group <<= 1 {
		if st.Changed.Has(group) {
			out = append(out, Change{Field: group.String(), Why: st.whyWritten(group)})
		}
	}
	return out
}

// A differ collects changes.
type differ struct {
	st    Step
	title map[string]string
	out   []Change
}

func (d *differ) add(field, variant, old, now, why string) {
	if old != now || variant == "" {
		d.out = append(d.out, Change{Field: field, Variant: variant, Name: d.title[variant], Old: old, New: now, Why: why})
	}
}

func (d *differ) product(r Record) {
	st := d.st
	if st.Changed.Has(shopadapter.FieldTitle) {
		d.add("title", "", r.Title, st.Product.Title, st.whyWritten(shopadapter.FieldTitle))
	}
	for _, one := range hashed {
		if st.Changed.Has(one.group) && one.group != shopadapter.FieldTitle && one.group != shopadapter.FieldVariants &&
			(r.Hashes[one.group] != st.Hashes[one.group] || st.creates()) {
			d.add(one.group.String(), "", "", "", st.whyWritten(one.group))
		}
	}
	left := map[string]Variant{}
	for _, v := range r.Variants {
		if v.Written.Price != "" && !v.Unpriced && !v.Seen.Gone { // others are not in the shop
			left[v.ID] = v
		}
	}
	sent := map[string]shopadapter.Variant{}
	for _, v := range st.Product.Variants {
		sent[v.ID] = v
	}
	for _, row := range st.Rows {
		was, had := left[row.ID]
		delete(left, row.ID)
		d.title[row.ID] = nameOf(row.Title, row.ID)
		switch now := sent[row.ID]; {
		case !row.Shown:
			if had && st.Changed.Has(shopadapter.FieldVariants) {
				d.add("variants", row.ID, nameOf(was.Title, row.ID), "", row.Refused)
			}
		case !had:
			d.add("variants", row.ID, "", d.title[row.ID], "")
			d.add("price", row.ID, row.was.v.Written.Price, now.Price, "")
		default:
			d.variant(row, was, now)
		}
	}
	for _, id := range slices.Sorted(func(yield func(string) bool) {
		for id := range left {
			if !yield(id) {
				return
			}
		}
	}) {
		if st.Changed.Has(shopadapter.FieldVariants) {
			d.add("variants", id, nameOf(left[id].Title, id), "", "")
		}
	}
}

// variant is the changes of a variant that the shop has. Of what somebody changed there, old is what
// the shop shows.
func (d *differ) variant(row Row, was Variant, now shopadapter.Variant) {
	st, w := d.st, was.Written
	if st.Changed.Has(shopadapter.FieldPrice) {
		d.add("price", row.ID, cmp.Or(was.Seen.Price, w.Price), now.Price, st.whyPrice(row, was))
		d.add("cost", row.ID, w.Cost, now.Cost, "")
		d.add("msrp", row.ID, w.MSRP, now.MSRP, "")
	}
	if st.Changed.Has(shopadapter.FieldStock) {
		had := cmp.Or(was.Seen.Quantity, strconv.Itoa(max(0, w.Quantity-was.Sold)))
		d.add("quantity", row.ID, had, strconv.Itoa(now.Quantity), st.whyStock(row, was))
		d.add("backorders", row.ID, strconv.FormatBool(w.Backorders), strconv.FormatBool(now.Backorders), "")
	}
	if st.Changed.Has(shopadapter.FieldVariants) {
		d.add("sku", row.ID, was.SKU, now.SKU, "")
		d.add("variants", row.ID, nameOf(was.Title, row.ID), d.title[row.ID], "")
	}
}

// whyPrice is why a price moves: the supplier's figure that moved in the same direction. Where none
// does, the rules have changed.
func (st Step) whyPrice(row Row, was Variant) string {
	cost := moved(was.Written.Cost, row.Written.Cost)
	msrp := moved(was.Written.MSRP, row.Written.MSRP)
	price := moved(was.Written.Price, row.Written.Price)
	by := ""
	if row.ruled {
		by = "; the rules have changed"
	}
	for _, h := range st.Holds {
		if h.Variant == row.ID && h.New == row.Written.Price && h.Verdict == Approved && h.By != "" {
			by += "; approved by " + h.By
		}
	}
	rose := map[int]string{1: " rose", -1: " fell"}
	switch {
	case was.Seen.Price != "":
		return "somebody changed it in the shop" + by
	case msrp != 0 && msrp == price:
		return "the supplier's msrp" + rose[msrp] + by
	case cost != 0 && cost == price:
		return "the supplier's cost" + rose[cost] + by
	case price != 0 && by == "":
		return "the rules have changed"
	default:
		return strings.TrimPrefix(by, "; ")
	}
}

// moved is 1 where a figure rose, -1 where it fell, 0 where it stayed or is none.
func moved(old, now string) int {
	a, err := decimal.NewFromString(old)
	b, wrong := decimal.NewFromString(now)
	if err != nil || wrong != nil {
		return 0
	}
	return b.Cmp(a)
}

func (st Step) whyStock(row Row, was Variant) string {
	held := func(holds []Hold) bool {
		return slices.ContainsFunc(holds, func(h Hold) bool { return h.Variant == row.ID && h.Below != "" })
	}
	switch {
	case was.Seen.Quantity != "":
		return "somebody changed it in the shop"
	case held(st.Holds):
		return "its price is held below the floor"
	case was.Written.Offered != row.Supply.Quantity:
		return "the supplier's stock moved"
	case held(st.in.Rec.Holds):
		return "its price is held no longer"
	default:
		return ""
	}
}

// whyWritten is why a group is written that is no figures.
func (st Step) whyWritten(group shopadapter.Fields) string {
	r := st.in.Rec
	switch {
	case st.creates() && !st.remade:
		return ""
	case st.remade:
		return "its listing was made anew"
	case r.Removal.Done || r.Removal.Begun:
		return "its entry is listed again"
	case r.Hashes[group] != st.Hashes[group]:
		return "the supplier changed it"
	case r.Reset.Any(group):
		return "somebody asked for it"
	case r.Open():
		return "it was not known to be in the shop"
	default:
		return ""
	}
}

const (
	mostChanges = 40 // of one event
	longestText = 96 // bytes of a value in it
)

// events makes an event of changes, as many as are kept.
func changed(what string, changes []Change, now time.Time) Event {
	e := Event{At: store.At(now), What: what, More: max(0, len(changes)-mostChanges)}
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

// tellWritten enters what a write changed. A second try at missing pictures that brought none is no
// change.
func tellWritten(e *Entry, st Step, created bool, changes []Change, l shopadapter.Listing, now time.Time) {
	before := st.in.Rec.Pictures.Missing
	same := slices.EqualFunc(l.Missing, before, func(a shopadapter.Picture, b store.Picture) bool {
		return a.URL == b.URL
	})
	const images = shopadapter.FieldImages
	only := st.Changed == images && st.in.Rec.Hashes[images] == st.Hashes[images]
	switch {
	case created:
		e.Tell(changed(WhatCreated, changes, now))
	case !(only && len(before) > 0 && same):
		e.Tell(changed(WhatUpdated, changes, now))
	}
	if st.cut != "" && (created || st.Changed.Has(shopadapter.FieldDescription)) {
		note(e, st.cut, now)
	}
	for _, m := range l.Missing {
		if !slices.ContainsFunc(before, func(p store.Picture) bool { return p.URL == m.URL && p.Later == m.Later }) {
			note(e, "without a picture: "+m.Reason, now)
			return // one line is enough: the record names each picture
		}
	}
}

// mostPutBack bounds the lines that one write adds about what somebody changed.
const mostPutBack = 3

// tellCorrected tells what a write puts right of what somebody changed in the shop.
func (s *Settings) tellCorrected(e *Entry, st Step, now time.Time) {
	told := 0
	for _, row := range st.Rows {
		v, _ := e.Record.Variant(row.ID)
		since, name := v.Seen.Since.Time().UTC().Format("2006-01-02 15:04"), nameOf(row.Title, row.ID)
		var what string
		switch seen := v.Seen; {
		case seen.Gone && st.Changed.Has(shopadapter.FieldVariants):
			what = fmt.Sprintf("%s had been deleted in the shop since %s: made again", name, since)
		case seen.Off && st.Ref.Revive:
			what = fmt.Sprintf("%s had been switched off in the shop since %s: on sale again", name, since)
		case seen.Price != "" && st.Changed.Has(shopadapter.FieldPrice):
			what = fmt.Sprintf("the shop had %s for %s since %s, put back to %s", seen.Price, name, since, row.Written.Price)
		case seen.Quantity != "" && st.Changed.Has(shopadapter.FieldStock):
			what = fmt.Sprintf("the shop had %s of %s since %s, put back to %d", seen.Quantity, name, since,
				max(0, row.Written.Quantity-row.Sold))
		default:
			continue
		}
		if told++; told > mostPutBack {
			note(e, "and more of its variants", now)
			return
		}
		note(e, what, now)
	}
}

// tellHeld tells what a brake holds from now on.
func tellHeld(e *Entry, before []Hold, now time.Time) {
	fresh := slices.DeleteFunc(slices.Clone(e.Record.Holds), func(h Hold) bool {
		return h.Verdict != "" || slices.ContainsFunc(before, h.Same)
	})
	tellHolds(e, WhatHeld, fresh, "", now)
}

// tellHolds tells of holds, an event for each kind.
func tellHolds(e *Entry, what string, holds []Hold, by string, now time.Time) {
	var kinds []store.HoldKind
	of := map[store.HoldKind][]Change{}
	for _, h := range holds {
		if !slices.Contains(kinds, h.Kind) {
			kinds = append(kinds, h.Kind)
		}
		c := Change{Field: string(h.Kind), Variant: h.Variant, Old: h.Old, New: h.New}
		if v, ok := e.Record.Variant(h.Variant); ok {
			c.Name = nameOf(v.Title, v.ID)
		}
		of[h.Kind] = append(of[h.Kind], c)
	}
	for _, kind := range kinds {
		event := changed(what, of[kind], now)
		event.By = by
		e.Tell(event)
	}
}
