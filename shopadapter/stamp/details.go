package stamp

import (
	"maps"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// Details is what a stamp says of values that stand side by side in one group, such as the details
// of a variant: by name, a digest of each value that the adapter wrote last. A name that is missing
// holds nothing of the adapter's.
type Details map[string]string

// MerchantsDetails are values that were the merchant's before the adapter took the product over.
// They stay the merchant's until they are given back to the supplier.
func MerchantsDetails(held map[string]string) Details {
	d := Details{}
	for name, value := range held {
		if value != "" {
			d[name] = merchants
		}
	}
	return d
}

// digestOf is what a stamp keeps of a value, "" for none.
func digestOf(value string) string {
	if value == "" {
		return ""
	}
	return HashText(value).Exact
}

// wrote makes d say that the shop holds a value of the adapter's.
func (d Details) wrote(name, value string) {
	if value == "" {
		delete(d, name)
		return
	}
	d[name] = digestOf(value)
}

// DecideDetails is [Merge.Decide] for each value of a group on its own. write holds those that are
// to be written; "" empties a field. held is what the shop has, want the supplier's, both in the
// form in which the shop answers them. A name that is in neither of the two is left alone. last is
// the note of the last write; it becomes that of this one. Note and values must reach the shop in
// one request. The table, for a group in Changed, first row that fits:
//
//	the merchant's before the adapter came                   not written, kept
//	held is want                                             not written
//	want is empty, and the adapter wrote none                not written, kept
//	held is what was written last, or empty as nothing was   written
//	held is anything else                                    not written, kept
//
// A value of a group in Reset is written where the table says kept, unless want is empty and the
// adapter wrote none: the supplier has nothing to put in its place.
func (m *Merge) DecideDetails(
	group shopadapter.Fields, held, want map[string]string, last *Details,
) (write map[string]string) {
	write = map[string]string{}
	if !m.Changed.Has(group) {
		return write
	}
	next := Details{}
	maps.Copy(next, *last)
	names := slices.Collect(maps.Keys(want))
	names = slices.AppendSeq(names, maps.Keys(held))
	for _, name := range names {
		have, wanted, noted := held[name], want[name], (*last)[name]
		own := m.Own || noted == digestOf(have)
		switch {
		case noted == merchants && (m.Keep(group) || wanted == ""):
			continue
		case have != wanted && wanted == "" && noted == "":
			if !m.Own {
				m.Keep(group)
			}
			continue
		case have == wanted:
		case !own && m.Keep(group):
			continue
		default:
			write[name] = wanted
		}
		next.wrote(name, wanted)
	}
	*last = next
	return write
}

// CompareDetails is [Comparison.Compare] for each value of a group on its own. A group of which the
// stamp says nothing is not compared: the values may be from before the adapter wrote any.
func (c *Comparison) CompareDetails(group shopadapter.Fields, held map[string]string, last Details) {
	if len(last) == 0 {
		return
	}
	c.Compared |= group
	for name, value := range held {
		if last[name] != digestOf(value) {
			c.Edited |= group
		}
	}
}
