package kit

import (
	"maps"
	"slices"

	"github.com/pubsync/pubsync/shopadapter"
)

// A Merge decides in one call of Publish, text by text, whether to write it. The zero value writes
// nothing.
type Merge struct {
	// groups to write. An adapter adds to it, all of them where the listing was never complete
	Changed shopadapter.Fields
	Reset   shopadapter.Fields // text groups that the merchant gives back to the supplier
	Unsure  bool               // the outcome of the last write is not known, see Written.IsOwn
	Own     bool               // the listing was never complete: all that it holds is the adapter's

	asked, kept shopadapter.Fields
}

// NewMerge is the merge of a call of Publish with these arguments.
func NewMerge(ref shopadapter.Ref, changed shopadapter.Fields) Merge {
	reset := ref.Reset & shopadapter.TextFields
	return Merge{Changed: changed | reset, Reset: reset, asked: changed}
}

// Decide reports whether a text of a group is to be written. held is the text in the shop, want the
// supplier's. last is the note of the last write; it becomes that of this one. The table, for a
// group in Changed, first row that fits:
//
//	the merchant's before the adapter came   not written, kept
//	held is want                             not written
//	held is what the shop made of want       not written
//	held is what was written last            written
//	held is anything else                    not written, kept
//
// A group in Reset is written where the table says kept.
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

// Keep leaves a group as the merchant edited it. It reports false for a group that the merchant
// gives back: that is to be written.
func (m *Merge) Keep(group shopadapter.Fields) bool {
	if m.Reset.Has(group) {
		return false
	}
	m.kept |= group
	return true
}

// Keeps reports whether every one of these groups stays as the merchant edited it.
func (m *Merge) Keeps(groups shopadapter.Fields) bool { return m.kept.Has(groups) }

// Kept is the groups for Listing.Kept: those that stay, of those that the caller asked to write.
func (m *Merge) Kept() shopadapter.Fields { return m.kept & m.asked & shopadapter.TextFields }

// A Comparison is what a list tells of a product's texts: which groups were compared with what was
// last written, and which of them hold something else.
type Comparison struct {
	Compared, Edited shopadapter.Fields

	Unsure bool // the outcome of the last write is not known, see Written.IsOwn
}

// Compare adds one text of a group: held is what the shop has, last the note of the last write.
func (c *Comparison) Compare(group shopadapter.Fields, held Hash, last Written) {
	c.Compared |= group
	if last.IsMerchants() || !last.IsOwn(held, c.Unsure) {
		c.Edited |= group
	}
}

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
