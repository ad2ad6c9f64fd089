package publication

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Shown is a listing as the shop shows it. What the shop does not tell counts as written.
type Shown struct {
	shopadapter.Listed
	shopadapter.Prices // as which prices are entered
}

// Sells reports whether a listing is on sale. It is not where every variant is switched off, though one has stock.
func (o *Shown) Sells() bool {
	has := func(v shopadapter.ListedVariant) bool { return v.Quantity > 0 || v.Uncounted || v.Backorders }
	return o.OnSale && (slices.ContainsFunc(o.Variants, isOnSale) || !slices.ContainsFunc(o.Variants, has))
}

func isOnSale(v shopadapter.ListedVariant) bool { return v.OnSale }

func (o *Shown) of(v store.Variant) *shopadapter.ListedVariant {
	for _, is := range []func(shopadapter.ListedVariant) bool{
		func(w shopadapter.ListedVariant) bool { return v.ShopID != "" && w.ShopID == v.ShopID },
		func(w shopadapter.ListedVariant) bool { return v.ID != "" && w.ID == v.ID },
		func(w shopadapter.ListedVariant) bool { return v.SKU != "" && w.SKU == v.SKU },
	} {
		if i := slices.IndexFunc(o.Variants, is); i >= 0 {
			return &o.Variants[i]
		}
	}
	return nil
}

const (
	noPrice   = "no price"  // nobody can buy the variant
	unlimited = "unlimited" // the shop does not count it, or takes backorders
	// mostCorrections is how often a figure is put right before it is left: a plugin that reprices on save, or a shop
	// that rounds, would be written for ever. It is put right again once the shop shows our figure, ours moves, the
	// rules change, or a person asks.
	mostCorrections = 3
)

// How a listing differs from its record.
const (
	FoundMissing  = "missing"
	FoundHidden   = "hidden"
	FoundShown    = "shown" // on sale, after it was deleted, hidden or a draft
	FoundMoved    = "moved"
	FoundPrice    = "price"    // somebody changed one
	FoundStock    = "stock"    // somebody raised one
	FoundLeft     = "left"     // it did not stay right, see mostCorrections
	FoundVariants = "variants" // one was deleted or switched off
	FoundPictures = "pictures"
	FoundEdited   = "edited" // a text became the merchant's
)

// see returns how a variant stands in the shop, and how many of it the shop has sold:
//
//	in the shop                        what it means                    what becomes of it
//	another price, or none             somebody changed it              put right, held, or reported
//	a lower one beside a former price  the merchant's reduction         nothing
//	  that is not below ours
//	more pieces, or backorders         somebody changed it              put right, or reported
//	fewer pieces, or no backorders     the shop has sold them           taken off until the supplier's figure falls
//	nobody can choose it               the merchant switched it off     stays off until somebody asks
//	no such variant                    it was deleted                   made again
//	another after three corrections    the shop does it itself          stays until ours moves, or somebody asks
func (s *Settings) see(r store.Record, v store.Variant, o *Shown) (seen store.Seen, sold int) {
	sold = v.Sold
	if o.Variants == nil || v.Refused != "" || v.Written.Price == "" {
		return store.Seen{}, sold
	}
	untold := s.Keep | o.Untold
	if in := o.of(v); in == nil {
		seen.Gone = true
	} else {
		seen.Off = !in.OnSale
		if !untold.Has(shopadapter.FieldPrice) && merchants(r, v.ID) == "" && repriced(v, *in, o.Alike) {
			seen.Price = cmp.Or(in.Price, noPrice)
		}
		if !(untold | r.Reset).Has(shopadapter.FieldStock) {
			seen.Quantity, sold = restocked(v, *in)
		}
	}
	return seen, sold
}

// repriced ignores the merchant's own reduction, and what a shop rounds that takes prices without VAT.
func repriced(v store.Variant, in shopadapter.ListedVariant, alike func(a, b string) bool) bool {
	ours, err := decimal.NewFromString(v.Written.Price)
	if err != nil || in.Price == "" { // "": somebody emptied it
		return err == nil
	}
	theirs, err := decimal.NewFromString(in.Price)
	if err != nil {
		return false
	}
	if former, err := decimal.NewFromString(in.CompareAt); err == nil && theirs.LessThan(ours) &&
		(former.GreaterThanOrEqual(ours) || alike(in.CompareAt, v.Written.Price)) {
		return false
	}
	return !alike(in.Price, v.Written.Price)
}

func restocked(v store.Variant, in shopadapter.ListedVariant) (above string, sold int) {
	w := v.Written
	switch {
	case in.Uncounted && w.Backorders:
		return "", v.Sold
	case in.Uncounted, in.Backorders && !w.Backorders:
		return unlimited, v.Sold
	case in.Quantity > w.Quantity:
		return strconv.Itoa(in.Quantity), v.Sold
	}
	return "", max(w.Quantity, v.Sold) - in.Quantity // Written.Quantity may be less than is sold by now
}

// merchants returns our price of a variant where a person declined to put it back, else "".
func merchants(r store.Record, variant string) (ours string) {
	for _, h := range r.Holds {
		if h.Kind == store.HoldDrift && h.Verdict == store.Declined && h.Variant == variant {
			return h.New
		}
	}
	return ""
}

// A difference is of price or stock, or of the group variants where one is gone.
type difference struct {
	field shopadapter.Fields
	had   string
}

func differences(seen store.Seen) (out []difference) {
	if seen.Gone {
		return []difference{{field: shopadapter.FieldVariants}}
	}
	if seen.Price != "" {
		out = append(out, difference{shopadapter.FieldPrice, seen.Price})
	}
	if seen.Quantity != "" {
		out = append(out, difference{shopadapter.FieldStock, seen.Quantity})
	}
	return out
}

func isLeft(v store.Variant, d difference) bool { return v.Corrected[d.field] >= mostCorrections }

// wrong returns the groups to write so that the shop holds what was written last.
func (s *Settings) wrong(r store.Record) (fields shopadapter.Fields) {
	held := driftHeld(r.Holds)
	for _, v := range r.Variants {
		for _, d := range differences(v.Seen) {
			switch {
			case isLeft(v, d):
			case d.field == shopadapter.FieldVariants:
				fields |= shopadapter.FieldVariants | figures
			case !s.ReportDrift && (d.field != shopadapter.FieldPrice || !held):
				fields |= d.field
			}
		}
	}
	return fields
}

// lost reports whether lost pictures are written again: once, and none that the merchant took away.
func (s *Settings) lost(r store.Record, o *Shown) bool {
	const images = shopadapter.FieldImages
	return o.Images >= 0 && o.Images < r.Pictures.Shown && !o.Edited.Has(images) &&
		r.Pictures.Lost == 0 && r.Pictures.LateSince == 0 && !s.Keep.Has(images)
}

// A Group is the changed prices that one comparison found.
type Group struct {
	Held                bool // see VeryMany
	Doubted             bool // what is out of sale, see Compared.Doubts
	Differing, Products int
}

// Observe takes in what the shop shows of a listing, once the whole list is judged; nil: the shop does not have it.
// found has each kind of difference once.
func (s *Settings) Observe(
	e *store.Entry, o *Shown, asked store.Instant, g Group, now time.Time,
) (found []string, news bool) {
	r, was := &e.Record, *e
	defer func() { news = !reflect.DeepEqual(was, *e) }()
	back := r.Sale == store.Draft && r.WrittenAt < asked && !r.Open() ||
		r.Sale == store.Off && (r.Problem.Hidden || r.Problem.Gone) && r.Problem.Last < asked
	switch {
	case back && o != nil && o.OnSale && (len(o.Variants) == 0 || slices.ContainsFunc(o.Variants, isOnSale)) &&
		r.Removal == (store.Removal{}):
		found = []string{FoundShown}
		r.Sale, r.Problem = store.OnSale, store.Problem{}
		if isWebAddress(o.URL) {
			r.URL = o.URL
		}
		note(e, "put on sale again in the shop by hand", now)
		due(e, store.ClassSweep, now) // the supplier may have changed it meanwhile
	case !isListed(*r) || r.WrittenAt >= asked || r.Open() || r.Removal != (store.Removal{}):
		return nil, false // not on sale, written since, leaving, or a call is open
	case o == nil:
		found = []string{FoundMissing}
		r.Dirty, r.Problem.Hidden = shopadapter.AllFields, false // so that the look calls the shop
		due(e, store.ClassSweep, now)
	case !o.Sells() && g.Doubted: // nothing sells it meanwhile, and it is not reported
		if found = []string{FoundHidden}; !r.Problem.Hidden {
			r.Problem = outOfSale(doubtedText, r.ID, now)
		}
	case !o.Sells():
		found = []string{FoundHidden}
		hide(r, now)
		note(e, "taken out of sale in the shop by hand", now)
	default:
		if r.Problem.Hidden { // it was doubted, and the supplier may have changed it meanwhile
			r.Problem = store.Problem{}
			due(e, store.ClassSweep, now)
		}
		found = s.compareShown(e, o, g, now)
	}
	restate(e, now)
	owe(e, now)
	return found, news
}

func (s *Settings) compareShown(e *store.Entry, o *Shown, g Group, now time.Time) (found []string) {
	r := &e.Record
	add := func(kind string, is bool) {
		if is && !slices.Contains(found, kind) {
			found = append(found, kind)
		}
	}
	edited, lost, moved := o.Edited&^s.Keep, s.lost(*r, o), movesTo(r.URL, o.URL)
	add(FoundMoved, moved)
	add(FoundPictures, lost)
	add(FoundEdited, edited&^r.Kept != 0)
	if moved {
		tell(e, store.WhatUpdated, "", now, store.Change{Field: "address", Old: r.URL, New: o.URL})
		r.URL, r.URLListed = o.URL, true
	}
	was, held := r.Holds, driftHeld(r.Holds)
	r.Holds = without(was, func(h store.Hold) bool { return h.Kind == store.HoldDrift && h.Verdict == "" })
	eachVariant(r, func(v *store.Variant) {
		theirs := s.Keep.Has(shopadapter.FieldPrice) || merchants(*r, v.ID) != ""
		if in := o.of(*v); in != nil {
			if theirs && !o.Untold.Has(shopadapter.FieldPrice) && repriced(*v, *in, o.Alike) {
				writtenByHand(v, in.Price)
			}
			if (s.Keep &^ o.Untold).Has(shopadapter.FieldStock) {
				v.Written.Quantity, v.Written.Backorders, v.Sold = in.Quantity, in.Backorders || in.Uncounted, 0
			}
		}
		before := v.Seen
		v.Seen, v.Sold = s.see(*r, *v, o)
		shown := differences(v.Seen)
		v.Corrected = maps.Clone(v.Corrected)
		maps.DeleteFunc(v.Corrected, func(field shopadapter.Fields, _ int) bool {
			return !slices.ContainsFunc(shown, func(d difference) bool { return d.field == field })
		})
		add(FoundVariants, v.Seen.Gone || v.Seen.Off)
		repriced := false
		for _, d := range shown {
			left := isLeft(*v, d)
			price := !left && d.field == shopadapter.FieldPrice
			add(FoundLeft, left)
			add(FoundPrice, price)
			add(FoundStock, !left && d.field == shopadapter.FieldStock)
			repriced = repriced || price
			if left && v.Seen != before {
				note(e, cmp.Or(v.Title, v.ID)+": "+seenText(*v, d)+": left", now)
			}
		}
		if repriced && (g.Held || held) && !s.ReportDrift {
			h := heldAs(store.Hold{
				Kind: store.HoldDrift, Variant: v.ID, Old: v.Seen.Price, New: v.Written.Price,
				Reason: fmt.Sprintf("the prices of %d of %d products were changed in the shop, so somebody meant it: approve "+
					"puts them back, PUBSYNC_SHOP_KEEP=price leaves prices to the shop", g.Differing, g.Products),
			}, was, now)
			if i := slices.IndexFunc(was, h.Same); i >= 0 {
				h.Reason = was[i].Reason
			}
			r.Holds = append(slices.DeleteFunc(r.Holds, h.Same), h)
		}
	})
	r.Kept = r.Kept&^o.Compared | edited
	waiting := r.Dirty & detailGroups // for a reading with details, which a marketplace may lack
	r.Dirty |= o.Outdated & shopadapter.TextFields &^ s.Keep &^ r.Kept
	if lost {
		r.Dirty, r.Pictures.Lost = r.Dirty|shopadapter.FieldImages, 1
		note(e, "the shop has lost pictures: they are written again", now)
	} else if o.Images >= r.Pictures.Shown && !o.Edited.Has(shopadapter.FieldImages) {
		r.Pictures.Shown, r.Pictures.Lost = o.Images, 0 // late ones have come, or none was counted
	}
	if held && !driftHeld(r.Holds) { // what the supplier changed meanwhile was not written
		due(e, store.ClassFull, now)
	}
	if wrong := s.wrong(*r) | r.Dirty&^waiting; wrong&^figures == 0 && wrong != 0 && Repriceable(*r) {
		due(e, store.ClassRules, now)
	} else if wrong != 0 {
		due(e, store.ClassFull, now)
	}
	tellHeld(e, was, now)
	return found
}

// writtenByHand counts a price of the shop's as written, unless it was emptied.
func writtenByHand(v *store.Variant, price string) {
	if amount, err := decimal.NewFromString(price); err == nil {
		v.Written.Price = amount.StringFixed(2)
	}
}

func hide(r *store.Record, now time.Time) {
	r.Sale, r.Problem = store.Off, outOfSale(byHandText, r.ID, now)
	forgetMissing(r)
}

const (
	byHandText  = "it was taken out of sale in the shop by hand"
	doubtedText = "it is out of sale in the shop, and so many with it that this is believed when a look an hour later " +
		"finds the same"
)

func outOfSale(why, id string, now time.Time) store.Problem {
	p := problem(store.ProblemBlocked, why+": put it on sale there, or `pubsync retry "+id+"` publishes it again", now)
	p.Hidden = true
	return p
}
