package publication

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

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
		w, name, before := was.Written, cmp.Or(row.Title, row.ID), cmp.Or(was.Title, row.ID)
		add := func(field, old, now, why string) {
			if old != now {
				out = append(out, store.Change{Field: field, Variant: row.ID, Name: name, Old: old, New: now, Why: why})
			}
		}
		if !row.Shown {
			if had && !was.Seen.Gone && content {
				add("variants", before, "", row.Refused)
			}
			continue
		}
		now := st.Product.Variants[row.at]
		if !had || was.Seen.Gone {
			why := ""
			if was.Seen.Gone {
				why = "deleted in the shop: made again"
			}
			add("variants", "", name, why)
			add("price", row.was.Written.Price, now.Price, "")
			continue
		}
		if st.Changed.Has(shopadapter.FieldPrice) { // of what somebody changed there, old is what the shop shows
			add("price", cmp.Or(was.Seen.Price, w.Price), now.Price, changedByHand(was.Seen.Price, row.Written.Price))
			add("cost", w.Cost, now.Cost, "")
			add("msrp", w.MSRP, now.MSRP, "")
		}
		if st.Changed.Has(shopadapter.FieldStock) {
			own, quantity := strconv.Itoa(max(0, w.Quantity-was.Sold)), strconv.Itoa(now.Quantity)
			add("quantity", cmp.Or(was.Seen.Quantity, own), quantity, changedByHand(was.Seen.Quantity, quantity))
			add("backorders", strconv.FormatBool(w.Backorders), strconv.FormatBool(now.Backorders), "")
		}
		if content {
			add("sku", was.SKU, now.SKU, "")
			add("variants", before, name, "")
			if was.Seen.Off && st.Ref.Revive {
				add("variants", "off sale", name, "switched off in the shop: on sale again")
			}
		}
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
