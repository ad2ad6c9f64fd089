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
	all := st.Changed.Has(shopadapter.FieldVariants)
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
		w, now := was.Written, st.Product.Variants[row.at]
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
