package publication

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A Row is one variant as a step sees it.
type Row struct {
	ID, Title string
	Supply    store.Supply
	Refused   string        // why our own rules keep it out
	Shown     bool          // it is in the product
	Written   store.Written // once the step is done
	Sold      int           // pieces taken off its quantity
	quote     Quote         // zero: no price is made
	old       string        // price that stays while the new one is held; "": none was shown
	ruled     bool          // see movedByRules
	supplied  bool          // the supplier has other figures now
	at        int           // its place in the product, if shown
	was       store.Variant // what the shop may show of it from before
}

// variants leaves out a variant without an id: it could not be told from others later.
func (s *Settings) variants(st *Step, l *marketplace.Listing, r store.Record) {
	in := st.in
	j := judge{s: s, rec: r, in: in, price: s.Price.For(r.Terms)}
	j.last = s.Price.For(in.Rec.Terms)
	if j.made = j.last; in.Rec.Made.Known {
		j.made = s.Price.For(in.Rec.Made)
	}
	was := formers(r, l.Variants, s.SKUPrefix, in.Now)
	options, met := set{}, set{}
	for _, v := range l.Variants {
		if v.ID == "" || !met.add(v.ID) {
			continue
		}
		row := Row{ID: v.ID, Title: short(v.Title), Supply: supplyOf(v), was: was[v.ID]}
		quote, err := j.price.Quote(v.Cost, v.MSRP)
		row.old = shownOf(row.was).Price
		switch {
		case err != nil:
			row.Refused = err.Error()
		case quote.Lacks != "" && row.old == "":
			row.Refused = quote.Lacks
		default:
			row.quote = quote
			row.Written = store.Written{
				Price: quote.Price.StringFixed(2), Cost: amountText(v.Cost), MSRP: amountText(v.MSRP),
				Quantity: max(0, row.Supply.Quantity-s.StockBuffer), Backorders: row.Supply.Backorders,
				Offered: row.Supply.Quantity,
			}
			row.Shown, row.Refused = j.shows(&row)
			if row.Shown && isSettled(row.was) && (s.Keep.Has(shopadapter.FieldPrice) || driftHeld(r.Holds)) {
				row.Written = atPrice(row.Written, row.was.Written) // while drift waits no other price is written with it
			}
			if s.Keep.Has(shopadapter.FieldStock) && isInShop(row.was) { // a shop may store the whole body
				row.Written.Quantity, row.Written.Backorders = row.was.Written.Quantity, row.was.Written.Backorders
			}
		}
		if !row.Shown {
			row.Written = store.Written{}
		} else {
			out := s.variant(l, v)
			for _, o := range out.Options {
				if options.add(o.Name) {
					st.Product.Options = append(st.Product.Options, o.Name)
				}
			}
			row.Sold = stillSold(row.was, row.Supply.Quantity, row.Written.Quantity)
			out.Price, out.Cost, out.MSRP = row.Written.Price, row.Written.Cost, row.Written.MSRP
			out.Backorders, out.Quantity = row.Written.Backorders, max(0, row.Written.Quantity-row.Sold)
			row.at = len(st.Product.Variants)
			st.Product.Variants = append(st.Product.Variants, out)
		}
		st.Rows = append(st.Rows, row)
	}
	st.holds = j.holds
}

func (s *Settings) variant(l *marketplace.Listing, v marketplace.Variant) shopadapter.Variant {
	out := shopadapter.Variant{ID: v.ID, Title: short(v.Title), EAN: short(v.EAN), Options: []shopadapter.Option{}}
	if s.Details {
		out.Details = details(l, v)
	}
	if sku := short(v.SKU); sku != "" {
		out.SKU = s.SKUPrefix + sku
	}
	met := set{}
	for _, o := range v.Options {
		if name, value := short(o.Name), short(o.Value); name != "" && value != "" && met.add(name) {
			out.Options = append(out.Options, shopadapter.Option{Name: name, Value: value})
		}
	}
	return out
}

func atPrice(w, of store.Written) store.Written {
	w.Price, w.Cost, w.MSRP = of.Price, of.Cost, of.MSRP
	return w
}

// stillSold returns the sold pieces that offered does not show yet: a fall of the supplier's figure counts as our
// own orders. quantity is what would be written, were none sold. After a takeover, what the shop shows less is
// sold.
func stillSold(was store.Variant, offered, quantity int) int {
	if was.Written.Offered < 0 {
		return max(0, quantity-was.Written.Quantity)
	}
	return max(0, was.Sold-max(0, was.Written.Offered-offered))
}

func supplyOf(v marketplace.Variant) store.Supply {
	s := store.Supply{
		Known: true, Cost: figureText(v.Cost), MSRP: figureText(v.MSRP), Backorders: strings.EqualFold(v.Policy, "continue"),
	}
	if v.Quantity != nil {
		s.Quantity = max(0, *v.Quantity)
	}
	return s
}

// figureText returns "?" for what is no amount, which makes no price under any rule.
func figureText(s string) string {
	if _, err := parseAmount(s); err != nil {
		return "?"
	}
	return strings.TrimSpace(s)
}

// goneFor is how long the price of a variant that left counts.
const goneFor = 30 * 24 * time.Hour

// formers returns what each variant was: by id, or for a new id by the SKU of one that left or was taken over without
// an id.
func formers(r store.Record, list []marketplace.Variant, prefix string, now time.Time) map[string]store.Variant {
	at := placesOf(list, func(v marketplace.Variant) string { return v.ID })
	out, left := make(map[string]store.Variant, len(list)), map[string]store.Variant{}
	for _, g := range r.Gone {
		if now.Sub(g.At.Time()) < goneFor {
			left[store.SKUKey(g.SKU)] = store.Variant{Written: store.Written{Price: g.Price}, Past: g.Past}
		}
	}
	for _, v := range r.Variants {
		if _, stays := at[v.ID]; stays && v.ID != "" {
			out[v.ID] = v
		} else if v.SKU != "" && (v.Written.Price != "" || v.Sent.Price != "") {
			if v.ID != "" { // what the shop has sold of it, or shows, is of another variant
				v.Sold, v.Seen, v.Supply, v.Written.Offered = 0, store.Seen{}, store.Supply{}, 0
			}
			left[store.SKUKey(unsuffixed(v.SKU, r.ID, v.ID))] = v
		}
	}
	for _, v := range list {
		sku := short(v.SKU)
		had := out[v.ID]
		if had.Written.Price != "" || sku == "" {
			continue
		}
		for _, sku := range []string{prefix + sku, suffixed(store.SKUKey(prefix+sku), r.ID, v.ID)} {
			if was, ok := left[store.SKUKey(sku)]; ok {
				if had.Sent.Price != "" { // of an attempt that did not end
					was.Sent = had.Sent
				}
				out[v.ID] = was
			}
		}
	}
	return out
}

// shownOf returns the price that the shop may show: of an attempt whose end is not known, else the last settled one.
func shownOf(v store.Variant) store.Written {
	switch {
	case v.Sent.Price != "":
		return v.Sent
	case isSettled(v):
		return v.Written
	}
	return store.Written{}
}

// isSettled reports whether the shop took a price of a variant, and did not refuse it since.
func isSettled(v store.Variant) bool { return v.Written.Price != "" && (v.Refused == "" || v.Unpriced) }

// isInShop includes a variant that the shop refused.
func isInShop(v store.Variant) bool { return v.Written.Price != "" && !v.Unpriced }

func mayShow(r store.Record) bool {
	return slices.ContainsFunc(r.Variants, func(v store.Variant) bool { return shownOf(v).Price != "" })
}

// eachVariant copies the list first, since others may hold the one before.
func eachVariant(r *store.Record, change func(*store.Variant)) {
	r.Variants = slices.Clone(r.Variants)
	for i := range r.Variants {
		change(&r.Variants[i])
	}
}

func placesOf[T any](list []T, id func(T) string) map[string]int {
	at := make(map[string]int, len(list))
	for i, one := range list {
		at[id(one)] = i
	}
	return at
}

func variantID(v store.Variant) string { return v.ID }

// unsuffixed returns a SKU without the suffix of [suffixed]: another id would have another suffix.
func unsuffixed(sku, id, variant string) string {
	return strings.TrimSuffix(sku, suffixed("", id, variant))
}

func suffixed(sku, id, variant string) string {
	identity := append(binary.AppendUvarint(nil, uint64(len(id))), id+variant...)
	sum := sha256.Sum256(identity)
	return sku + "-" + hex.EncodeToString(sum[:3])
}

// SKUs returns every SKU that the variants of a reading may be given, by store.SKUKey. The store is asked for their
// holders.
func (s *Settings) SKUs(pub *marketplace.Publication) (keys []string) {
	if pub == nil || pub.Listing == nil {
		return nil
	}
	for _, v := range pub.Listing.Variants {
		sku := short(v.SKU)
		if sku == "" || v.ID == "" {
			continue
		}
		sku = s.SKUPrefix + sku
		keys = append(keys, store.SKUKey(sku), store.SKUKey(suffixed(sku, pub.ID, v.ID)))
	}
	return keys
}

// label gives the variants their SKUs; owners says which publication holds which. First each keeps what it has and
// still wants, plain or suffixed. Then each other gets what it wants, else the suffixed one, else none.
func label(p *shopadapter.Product, r store.Record, owners map[string]string) {
	held, given, skus := map[string]string{}, set{}, make([]string, len(p.Variants))
	for _, v := range r.Variants {
		held[v.ID] = store.SKUKey(v.SKU)
	}
	for _, anew := range []bool{false, true} {
		for i, v := range p.Variants {
			for _, sku := range []string{v.SKU, suffixed(v.SKU, r.ID, v.ID)} {
				key := store.SKUKey(sku)
				ours := owners[key] == "" || owners[key] == r.ID
				if v.SKU != "" && skus[i] == "" && ours && (anew || held[v.ID] == key) && given.add(key) {
					skus[i] = sku
				}
			}
		}
	}
	for i := range p.Variants {
		p.Variants[i].SKU = skus[i]
	}
}
