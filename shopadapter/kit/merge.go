package kit

import (
	"maps"
	"slices"
	"strings"

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

// A Text is the note of a title and a description in one language. Only the title's group varies.
type Text struct {
	Title       Written `json:"title"`
	Description Written `json:"description"`
}

// WrittenText is the note of texts written where there were none.
func WrittenText(texts shopadapter.Translation) Text {
	return Text{Written{Hash: HashText(texts.Title)}, Written{Hash: HashText(texts.Description)}}
}

// DecideText is [Merge.Decide] for a Text. write holds what to write, under title and description.
func (m *Merge) DecideText(
	title shopadapter.Fields, held, want shopadapter.Translation, last *Text,
) (write map[string]any) {
	write = map[string]any{}
	if m.Decide(title, HashText(held.Title), HashText(want.Title), &last.Title) {
		write["title"] = want.Title
	}
	if m.Decide(shopadapter.FieldDescription, HashText(held.Description), HashText(want.Description),
		&last.Description) {
		write["description"] = want.Description
	}
	return write
}

// Then is [Written.Then] for both.
func (t Text) Then(next Text) Text {
	return Text{t.Title.Then(next.Title.Hash), t.Description.Then(next.Description.Hash)}
}

// ReadBack is [Written.ReadBack] for those in write.
func (t *Text) ReadBack(write map[string]any, held shopadapter.Translation) bool {
	_, title := write["title"]
	_, description := write["description"]
	title = title && t.Title.ReadBack(HashText(held.Title))
	return description && t.Description.ReadBack(HashText(held.Description)) || title
}

// Holds reports whether the shop holds both as last written.
func (t Text) Holds(held shopadapter.Translation) bool {
	return t.Title.IsOwn(HashText(held.Title), false) && t.Description.IsOwn(HashText(held.Description), false)
}

// CompareText is [Comparison.Compare] for a Text.
func (c *Comparison) CompareText(title shopadapter.Fields, held shopadapter.Translation, last Text) {
	c.Compare(title, HashText(held.Title), last.Title)
	c.Compare(shopadapter.FieldDescription, HashText(held.Description), last.Description)
}

// A Row is the product's texts in one language of the shop.
type Row struct {
	Locale, Title, Description string

	// Group is the title's: FieldTitle in the product's own language, else FieldDescription.
	Group shopadapter.Fields
}

// Rows returns the supplier's texts in the shop's languages. The first is in the shop's own, or else in the
// product's.
func Rows(p shopadapter.Product, own string, others []string) (all []Row) {
	for i, locale := range append([]string{own}, others...) {
		text, group, ok := TextIn(p, locale)
		known := slices.ContainsFunc(all, func(r Row) bool { return r.Locale == locale })
		if i > 0 && (!ok || known) {
			continue
		}
		if !ok {
			text, group, _ = TextIn(p, p.Language)
		}
		all = append(all, Row{locale, text.Title, text.Description, group})
	}
	return all
}

// TextIn returns the text for a locale of the shop, and its title's group: the product's own, or the first
// translation with a title. ok is false if there is none.
func TextIn(p shopadapter.Product, locale string) (text shopadapter.Translation, title shopadapter.Fields, ok bool) {
	if speaks(locale, p.Language) {
		return shopadapter.Translation{Title: p.Title, Description: p.Description}, shopadapter.FieldTitle, true
	}
	for _, tag := range slices.Sorted(maps.Keys(p.Translations)) {
		if text := p.Translations[tag]; speaks(locale, tag) && strings.TrimSpace(text.Title) != "" {
			return text, shopadapter.FieldDescription, true
		}
	}
	return shopadapter.Translation{}, 0, false
}

// speaks reports whether a text in a language may stand for a locale: nl for nl-BE.
func speaks(locale, language string) bool {
	locale, language = strings.ReplaceAll(locale, "_", "-"), strings.ReplaceAll(language, "_", "-")
	base, _, _ := strings.Cut(locale, "-")
	return strings.EqualFold(locale, language) || strings.EqualFold(base, language)
}
