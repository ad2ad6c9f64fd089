package publication

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// A Row is one variant as a step sees it.
type Row struct {
	ID, Title string
	Supply    store.Supply
	Refused   string        // why our own rules keep it out, "" where they do not
	Shown     bool          // it is in the product
	Written   store.Written // what is written of it once the step is done; of a row that is shown
	Sold      int           // pieces that stay taken off its quantity
	ruled     bool          // other rules than the written price was made by make another one
	price     decimal.Decimal
	at        int           // its place in the product, of a row that is shown
	was       store.Variant // what the shop may show of it from before
}

// variants makes the product's variants of those that the supplier gives. A variant without an id of
// its own is left out: it could not be told from others later.
func (s *Settings) variants(w *wish, l *marketplace.Listing, r store.Record, now time.Time) {
	j := judge{s: s, rec: r, price: s.Price.For(w.terms), now: now}
	was := formers(r, l.Variants, s.SKUPrefix, now)
	options, met := set{}, set{}
	for _, v := range l.Variants {
		if v.ID == "" || !met.add(v.ID) {
			continue
		}
		row := Row{ID: v.ID, Title: short(v.Title), Supply: supplyOf(v), was: was[v.ID]}
		quote, err := j.price.Quote(v.Cost, v.MSRP)
		switch {
		case err != nil:
			row.Refused = err.Error()
		case quote.Lacks != "" && len(pricesOf(row.was)) == 0:
			row.Refused = quote.Lacks
		default:
			row.price = quote.Price
			out := s.variant(l, v, row, quote)
			if row.Shown, row.Refused = j.shows(&out, &row, quote); !row.Shown {
				break
			}
			for _, o := range out.Options {
				if options.add(o.Name) {
					w.Product.Options = append(w.Product.Options, o.Name)
				}
			}
			row.fill(&out)
			row.at = len(w.Product.Variants)
			w.Product.Variants = append(w.Product.Variants, out)
		}
		w.Rows = append(w.Rows, row)
	}
	w.holds = j.holds
}

func (s *Settings) variant(l *marketplace.Listing, v marketplace.Variant, row Row, q Quote) shopadapter.Variant {
	out := shopadapter.Variant{
		ID: v.ID, Title: row.Title, EAN: short(v.EAN), Options: []shopadapter.Option{},
		Price: q.Price.StringFixed(2), Cost: amountText(v.Cost), MSRP: amountText(v.MSRP),
		Quantity: max(0, row.Supply.Quantity-s.StockBuffer), Backorders: row.Supply.Backorders,
	}
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

// fill settles what is written of a variant, and takes off its quantity what the shop has sold. A
// fall of the supplier's figure is what our own orders look like; a rise is none of them.
func (row *Row) fill(v *shopadapter.Variant) {
	row.Written = store.Written{
		Price: v.Price, Cost: v.Cost, MSRP: v.MSRP, Quantity: v.Quantity, Backorders: v.Backorders,
		Offered: row.Supply.Quantity,
	}
	row.Sold = stillSold(row.was, row.Supply.Quantity, v.Quantity)
	v.Quantity = max(0, v.Quantity-row.Sold)
}

// stillSold is how many of the pieces that the shop has sold of a variant an offer does not show yet.
// quantity is what would be written of it, were none sold. Of a listing that was taken over it is
// what the shop shows less.
func stillSold(was store.Variant, offered, quantity int) int {
	if was.Written.Offered < 0 {
		return max(0, quantity-was.Written.Quantity)
	}
	return max(0, was.Sold-max(0, was.Written.Offered-offered))
}

func supplyOf(v marketplace.Variant) store.Supply {
	s := store.Supply{
		Known: true, Cost: figureText(v.Cost), MSRP: figureText(v.MSRP),
		Backorders: strings.EqualFold(v.Policy, policyContinue),
	}
	if v.Quantity != nil {
		s.Quantity = max(0, *v.Quantity)
	}
	return s
}

// suppliedAs is a variant as the marketplace would show it, by what was last read.
func suppliedAs(v store.Variant) marketplace.Variant {
	out := marketplace.Variant{
		ID: v.ID, Title: v.Title, Cost: v.Supply.Cost, MSRP: v.Supply.MSRP, Quantity: &v.Supply.Quantity,
	}
	if v.Supply.Backorders {
		out.Policy = policyContinue
	}
	return out
}

func figureText(s string) string {
	if _, err := parseAmount(s); err != nil {
		return noAmount
	}
	return strings.TrimSpace(s)
}

// goneFor is how long the price of a variant that left counts.
const goneFor = 30 * 24 * time.Hour

// formers finds what the variants of a reading were before: by their id, and where that is new, by
// the SKU of one that has left, or was taken over without an id.
func formers(r store.Record, list []marketplace.Variant, prefix string, now time.Time) map[string]store.Variant {
	out, in := make(map[string]store.Variant, len(list)), set{}
	for _, v := range list {
		in.add(v.ID)
	}
	left := map[string]store.Variant{}
	for _, g := range r.Gone {
		if now.Sub(g.At.Time()) < goneFor {
			left[store.SKUKey(g.SKU)] = store.Variant{Written: store.Written{Price: g.Price}}
		}
	}
	for _, v := range r.Variants {
		if _, stays := in[v.ID]; stays && v.ID != "" {
			out[v.ID] = v
		} else if v.SKU != "" && (v.Written.Price != "" || v.Sent.Price != "") {
			if v.ID != "" { // what the shop has sold of it, or shows, is of another variant
				v.Sold, v.Seen, v.Supply, v.Written.Offered = 0, store.Seen{}, store.Supply{}, 0
			}
			left[store.SKUKey(v.SKU)] = v
		}
	}
	for _, v := range list {
		sku := short(v.SKU)
		if _, had := out[v.ID]; had || sku == "" {
			continue
		}
		sku = store.SKUKey(prefix + sku)
		for _, key := range []string{sku, store.SKUKey(suffixed(sku, r.ID, v.ID))} {
			if was, ok := left[key]; ok {
				out[v.ID] = was
			}
		}
	}
	return out
}

// shownOf is the price of a variant that stays in the shop while another is held.
func shownOf(v store.Variant) store.Written {
	if v.Sent.Price != "" {
		return v.Sent
	}
	return v.Written
}

// pricesOf is the prices of a variant that the shop may show: of an attempt whose end is not known, and
// the last settled one.
func pricesOf(v store.Variant) (prices []string) {
	if v.Sent.Price != "" {
		prices = append(prices, v.Sent.Price)
	}
	if isSettled(v) {
		prices = append(prices, v.Written.Price)
	}
	return prices
}

// isSettled reports whether the shop took a price of a variant, and did not refuse it since.
func isSettled(v store.Variant) bool { return v.Written.Price != "" && (v.Refused == "" || v.Unpriced) }

// isInShop reports whether the shop has a variant, on sale or refused.
func isInShop(v store.Variant) bool { return v.Written.Price != "" && !v.Unpriced }

func mayShow(r store.Record) bool {
	return slices.ContainsFunc(r.Variants, func(v store.Variant) bool { return v.Sent.Price != "" || isSettled(v) })
}

// eachVariant changes the variants of a record in a list of their own: others may hold the one before.
func eachVariant(r *store.Record, change func(*store.Variant)) {
	r.Variants = slices.Clone(r.Variants)
	for i := range r.Variants {
		change(&r.Variants[i])
	}
}

// placesOf is where each of a list stands, by its id: no search within a loop.
func placesOf[T any](list []T, id func(T) string) map[string]int {
	at := make(map[string]int, len(list))
	for i, one := range list {
		at[id(one)] = i
	}
	return at
}

func variantID(v store.Variant) string    { return v.ID }
func soldAs(v shopadapter.Variant) string { return v.ID }

// suffixed is a SKU with the variant's own suffix of six hexadecimal digits.
func suffixed(sku, id, variant string) string {
	identity := append(binary.AppendUvarint(nil, uint64(len(id))), id+variant...)
	sum := sha256.Sum256(identity)
	return sku + "-" + hex.EncodeToString(sum[:3])
}

// SKUs is every SKU that the variants of a reading may be given, by store.SKUKey: who holds them is
// asked of the store before a decision.
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

// label gives the variants the SKUs that they may use. owners says which publication holds which.
// A variant gets the one that it wants where no other holds it, else that with a suffix made of its
// own identity, which it keeps for as long as it wants the same, and none where that is another's too.
// What a variant held, and wants no longer, is free for its siblings.
func label(p *shopadapter.Product, r store.Record, owners map[string]string) {
	held, wants, given := map[string]string{}, map[string]string{}, map[string]string{} // held by a sibling
	for _, v := range r.Variants {
		if v.SKU != "" && v.ID != "" {
			held[store.SKUKey(v.SKU)] = v.ID
		}
	}
	for _, v := range p.Variants {
		wants[v.ID] = store.SKUKey(v.SKU)
	}
	free := func(key, me string) bool {
		if by, ok := given[key]; ok {
			return by == me
		}
		if owner := owners[key]; owner != "" && owner != r.ID {
			return false
		}
		by, ok := held[key]
		return !ok || by == me || wants[by] != key
	}
	for i := range p.Variants {
		v := &p.Variants[i]
		want := v.SKU
		if want == "" || len(want) > store.MaxID {
			continue
		}
		own := suffixed(want, r.ID, v.ID)
		list := []string{want, own, ""}
		if held[store.SKUKey(own)] == v.ID && held[wants[v.ID]] != v.ID {
			list = []string{own, want, ""}
		}
		for _, v.SKU = range list {
			if key := store.SKUKey(v.SKU); v.SKU == "" || free(key, v.ID) {
				given[key] = v.ID
				break
			}
		}
	}
}
