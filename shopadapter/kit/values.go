package kit

import (
	"maps"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// Values is what a note says of values that stand side by side, such as the details of a variant:
// by name, the hash of each value that the adapter wrote last. A name that is missing holds nothing
// of the adapter's.
type Values map[string]string

func hashOf(value string) string {
	if value == "" {
		return ""
	}
	return HashText(value).Exact
}

// Holds reports whether a value that the shop holds is the one of the last write.
func (v Values) Holds(name, held string) bool { return v[name] == hashOf(held) }

// DecideValues is [Merge.Decide] for each value of a group on its own. write holds those that are
// to be written; "" empties a field. held is what the shop has, want the supplier's, both in the
// form in which the shop answers them. A name that is in neither is left alone. last is the note of
// the last write; next is that of this one. Note and values must reach the shop in one request. The
// table, for a group in Changed, first row that fits:
//
//	held is want                                             not written
//	want is empty, and the adapter wrote none                not written, kept
//	held is what was written last, or empty as nothing was   written
//	held is anything else                                    not written, kept
//
// A value of a group in Reset is written where the table says kept, unless want is empty and the
// adapter wrote none: the supplier has nothing to put in its place.
func (m *Merge) DecideValues(
	group shopadapter.Fields, held, want map[string]string, last Values,
) (write map[string]string, next Values) {
	write, next = map[string]string{}, Values{}
	maps.Copy(next, last)
	if !m.Changed.Has(group) {
		return write, next
	}
	names := slices.Collect(maps.Keys(want))
	names = slices.AppendSeq(names, maps.Keys(held))
	for _, name := range names {
		have, wanted := held[name], want[name]
		switch own := m.Own || last.Holds(name, have); {
		case have == wanted:
		case wanted == "" && last[name] == "":
			if !m.Own {
				m.Keep(group)
			}
			continue
		case !own && m.Keep(group):
			continue
		default:
			write[name] = wanted
		}
		if next[name] = hashOf(wanted); wanted == "" {
			delete(next, name)
		}
	}
	if len(next) == 0 {
		next = nil // as it is read back
	}
	return write, next
}

// CompareValues is [Comparison.Compare] for each value of a group on its own. A group of which the
// note says nothing is not compared: the values may be from before the adapter wrote any.
func (c *Comparison) CompareValues(group shopadapter.Fields, held map[string]string, last Values) {
	if len(last) == 0 {
		return
	}
	c.Compared |= group
	for name, value := range held {
		if !last.Holds(name, value) {
			c.Edited |= group
		}
	}
}
