package kit

import (
	"maps"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// A Merge decides, in one call of Publish, which texts to write; the zero Merge writes none.
type Merge struct {
	// Changed is the groups to write; an adapter adds all if the listing was never complete.
	Changed shopadapter.Fields
	Reset   shopadapter.Fields // text groups given back to the supplier
	Unsure  bool               // the last write's outcome is unknown, see Written.IsOwn
	Own     bool               // never complete: the listing holds only the adapter's texts

	asked, kept shopadapter.Fields
}

// NewMerge makes the Merge of a call of Publish.
func NewMerge(ref shopadapter.Ref, changed shopadapter.Fields) Merge {
	reset := ref.Reset & shopadapter.TextFields
	return Merge{Changed: changed | reset, Reset: reset, asked: changed}
}

// Decide reports whether to write a text. held is the shop's, want the supplier's; last is the note of the last
// write, and becomes this one's. For a group in Changed the first row that fits decides:
//
//	the merchant's before the adapter came   not written, kept
//	held is want                             not written
//	held is what the shop made of want       not written
//	held is what was written last            written
//	held is anything else                    not written, kept
//
// For a group in Reset the rows with kept do not count: a text that fits no other row is written.
func (m *Merge) Decide(group shopadapter.Fields, held, want Hash, last *Written) (write bool) {
	switch own := m.Own || last.IsOwn(held, m.Unsure); {
	case !m.Changed.Has(group), last.IsMerchants() && m.Keep(group):
		return false
	case held.Exact == want.Exact:
		if last.Hash != want {
			*last = Written{Hash: want}
		}
		return false
	case held.Exact == last.Exact && last.Sent != "" && last.Sent == want.Exact:
		return false
	case !own && m.Keep(group):
		return false
	}
	*last = Written{Hash: want}
	return true
}

// Keep leaves a group as the merchant edited it. It returns false for a group in Reset.
func (m *Merge) Keep(group shopadapter.Fields) bool {
	if m.Reset.Has(group) {
		return false
	}
	m.kept |= group
	return true
}

// Keeps reports whether all these groups are kept.
func (m *Merge) Keeps(groups shopadapter.Fields) bool { return m.kept.Has(groups) }

// Kept returns Listing.Kept: the kept groups that the caller asked to write.
func (m *Merge) Kept() shopadapter.Fields { return m.kept & m.asked & shopadapter.TextFields }

// A Comparison collects for List the groups compared with the last write, and those that differ.
type Comparison struct {
	Compared, Edited shopadapter.Fields

	Unsure bool // as in Merge
}

// Compare adds one text of a group: the shop's, and the note of the last write.
func (c *Comparison) Compare(group shopadapter.Fields, held Hash, last Written) {
	c.Compared |= group
	if last.IsMerchants() || !last.IsOwn(held, c.Unsure) {
		c.Edited |= group
	}
}

// Values is a note of values side by side, such as a variant's details: the hash of each that the adapter wrote last,
// by name.
type Values map[string]string

func hashOf(value string) string {
	if value == "" {
		return ""
	}
	return HashText(value).Exact
}

// Holds reports whether a value in the shop is that of the last write.
func (v Values) Holds(name, held string) bool { return v[name] == hashOf(held) }

// DecideValues is [Merge.Decide] for each value of a group. write holds the values to write; "" empties a field. held
// and want are as the shop answers them; a name in neither is left alone. next is the note of this write, and must
// reach the shop in one request with the values. For a group in Changed the first row that fits decides:
//
//	held is want                                             not written
//	want is empty, and the adapter wrote none                not written, kept
//	held is what was written last, or empty as nothing was   written
//	held is anything else                                    not written, kept
//
// A group in Reset is written where the last row says kept.
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

// CompareValues is [Comparison.Compare] for each value of a group. Without a note it compares none: the values may
// predate the adapter's.
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
