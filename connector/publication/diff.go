package publication

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Diff is what a step changes of a listing, field by field: plan, history, log and page print it. A
// listing that comes back, or leaves, has the field "listing"; a group that is written without a
// difference has its name. It is empty where nothing is called.
func Diff(r store.Record, st Step) []store.Change {
	d := differ{st: st}
	switch {
	case st.Do == Offline || st.Do == Delete:
		if r.Sale == store.OnSale {
			d.add("listing", "", "on sale", "off sale", "")
		}
		return d.out
	case st.Do != Publish && st.Do != Figures:
		return nil
	case r.Removal.Done || r.Removal.Begun:
		d.add("listing", "", string(store.StateWithdrawn), string(store.StateLive), "")
	case r.Sale == store.SoldOut:
		d.add("listing", "", "off sale", "on sale", "")
	}
	for group := shopadapter.Fields(1); group <= shopadapter.AllFields; group <<= 1 {
		switch {
		case !st.Changed.Has(group) || (figures | shopadapter.FieldVariants).Has(group):
		case group == shopadapter.FieldTitle:
			d.add("title", "", r.Title, st.Product.Title, st.whyWritten(group))
		case r.Hashes[group] != st.Hashes[group] || st.Creates():
			d.add(group.String(), "", "", "", st.whyWritten(group))
		}
	}
	d.variants(r)
	for group := shopadapter.Fields(1); len(d.out) == 0 && group <= shopadapter.AllFields; group <<= 1 {
		if st.Changed.Has(group) {
			d.add(group.String(), "", "", "", st.whyWritten(group))
		}
	}
	return d.out
}

// A differ collects changes.
type differ struct {
	st   Step
	name string // of the variant
	out  []store.Change
}

func (d *differ) add(field, variant, old, now, why string) {
	if old != now || variant == "" {
		c := store.Change{Field: field, Variant: variant, Old: old, New: now, Why: why}
		if variant != "" {
			c.Name = d.name
		}
		d.out = append(d.out, c)
	}
}

func (d *differ) variants(r store.Record) {
	st := d.st
	all := st.Changed.Has(shopadapter.FieldVariants)
	left := map[string]store.Variant{}
	for _, v := range r.Variants {
		if isInShop(v) {
			left[v.ID] = v
		}
	}
	sent := placesOf(st.Product.Variants, soldAs)
	for _, row := range st.Rows {
		was, had := left[row.ID]
		delete(left, row.ID)
		d.name = nameOf(row.Title, row.ID)
		switch {
		case !row.Shown:
			if had && !was.Seen.Gone && all {
				d.add("variants", row.ID, nameOf(was.Title, row.ID), "", row.Refused)
			}
		case !had || was.Seen.Gone:
			why := ""
			if was.Seen.Gone {
				why = "deleted in the shop since " + seenSince(was) + ": made again"
			}
			d.add("variants", row.ID, "", d.name, why)
			d.add("price", row.ID, row.was.Written.Price, st.Product.Variants[sent[row.ID]].Price, "")
		default:
			d.variant(row, was, st.Product.Variants[sent[row.ID]])
		}
	}
	d.name = ""
	for _, id := range slices.Sorted(maps.Keys(left)) {
		if v := left[id]; all && !v.Seen.Gone {
			d.add("variants", id, nameOf(v.Title, id), "", "")
		}
	}
}

// variant is the changes of a variant that the shop has. Of what somebody changed there, old is what
// the shop shows.
func (d *differ) variant(row Row, was store.Variant, now shopadapter.Variant) {
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
		d.add("variants", row.ID, nameOf(was.Title, row.ID), d.name, "")
		if was.Seen.Off && st.Ref.Revive {
			why := "switched off in the shop since " + seenSince(was) + ": on sale again"
			d.add("variants", row.ID, "off sale", d.name, why)
		}
	}
}

// whyPrice is why a price moves: the supplier's figure that moved in the same direction. Where none
// does, the rules have changed.
func (st Step) whyPrice(row Row, was store.Variant) string {
	cost := moved(was.Written.Cost, row.Written.Cost)
	msrp := moved(was.Written.MSRP, row.Written.MSRP)
	price := moved(was.Written.Price, row.Written.Price)
	by := ""
	if row.ruled && price != 0 && (was.Written.Cost != row.Written.Cost || was.Written.MSRP != row.Written.MSRP) {
		by = "; the rules have changed"
	}
	for _, h := range st.rec.Holds {
		if h.Variant == row.ID && h.New == row.Written.Price && h.Verdict == store.Approved && h.By != "" {
			by += "; approved by " + h.By
		}
	}
	rose := map[int]string{1: " rose", -1: " fell"}
	switch {
	case was.Seen.Price != "":
		return changedByHand(was, row.Written.Price) + by
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

func (st Step) whyStock(row Row, was store.Variant) string {
	held := func(holds []store.Hold) bool {
		return slices.ContainsFunc(holds, func(h store.Hold) bool { return h.Variant == row.ID && h.Below != "" })
	}
	switch {
	case was.Seen.Quantity != "":
		return changedByHand(was, strconv.Itoa(max(0, row.Written.Quantity-row.Sold)))
	case held(st.rec.Holds):
		return "its price is held below the floor"
	case was.Written.Offered != row.Supply.Quantity:
		return "the supplier's stock moved"
	case held(st.in.Rec.Holds):
		return "its price is held no longer"
	default:
		return ""
	}
}

func changedByHand(was store.Variant, ours string) string {
	return "somebody changed it in the shop, seen since " + seenSince(was) + ": put back to " + ours
}

func (st Step) whyWritten(group shopadapter.Fields) string {
	r := st.in.Rec
	switch {
	case st.Creates() && !st.remade:
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
