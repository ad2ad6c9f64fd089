package variation

import (
	"crypto/sha256"
	"encoding/binary"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
	"github.com/pubsync/pubsync/shopadapter/stamp"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/rest"
	"github.com/pubsync/pubsync/shopadapter/woocommerce/internal/words"
)

// orderMark is the position that a variation is made with. WooCommerce writes it with the row,
// before price, options and metadata, so that it tells whose a variation is in whose middle PHP
// died. All of a publication have the same, which leaves them in the order of their ids, behind the
// merchant's own.
func orderMark(publication shopadapter.PublicationID) rest.Number {
	sum := sha256.Sum256([]byte(publication))
	return 1_000_000_000 + rest.Number(binary.BigEndian.Uint32(sum[:4])%1_000_000_000)
}

// formOf is the mark of a variation without its price and stock.
func formOf(v rest.Variation) string {
	options := map[string]string{}
	for _, a := range v.Attributes {
		options[attributeMark(int64(a.ID), string(a.Name))] = words.Plain(string(a.Option))
	}
	return formMark(string(v.SKU), options)
}

// Form is the mark of a variation that is as the variant shall be.
func (set *Set) Form(v skeleton.Planned, is Sale) string {
	options := map[string]string{}
	for _, o := range set.picked(v) {
		options[attributeMark(o.ID, o.Name)] = words.Plain(o.Option)
	}
	return string(is) + formMark(v.SKU, options)
}

// A Sale is how a form begins: whether a visitor can choose the variation, and whose doing it is
// that none can.
type Sale string

// The three.
const (
	OnSale Sale = ""
	Waits  Sale = "-" // the adapter put it off sale, and is to put it on sale again
	Off    Sale = "!" // the merchant switched it off, and it stays so
)

func saleOf(form string) Sale {
	for _, is := range []Sale{Waits, Off} {
		if strings.HasPrefix(form, string(is)) {
			return is
		}
	}
	return OnSale
}

// sale tells whether a variation that was read is on sale. One that is private was switched off by
// the merchant, unless its stamp or the last write says that the adapter made it so.
func (set *Set) sale(v rest.Variation) Sale {
	last, known := set.Last[int64(v.ID)]
	switch {
	case v.Status == "publish":
		return OnSale
	case v.Status != "private", waits(rest.Stamp(v.Meta)), known && (last.Form == "" || saleOf(last.Form) == Waits):
		return Waits
	}
	return Off
}

func attributeMark(id int64, name string) string {
	if id > 0 {
		return "#" + strconv.FormatInt(id, 10)
	}
	return words.Plain(name)
}

func formMark(sku string, options map[string]string) string {
	var b strings.Builder
	b.WriteString(strconv.Quote(sku))
	for _, name := range slices.Sorted(maps.Keys(options)) {
		b.WriteString(" " + strconv.Quote(name) + "=" + strconv.Quote(options[name]))
	}
	return stamp.Digest(b.String(), 5)
}
