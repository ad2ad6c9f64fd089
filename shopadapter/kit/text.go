package kit

import "github.com/pubsync/pubsync/shopadapter"

// A Text is what a note says of a title and a description: of the product's own, or of those in one
// language. The title belongs to the group that is given to its methods, the description to its own.
type Text struct {
	Title       Written `json:"title"`
	Description Written `json:"description"`
}

// WrittenText is the note of texts that were written where there were none.
func WrittenText(texts shopadapter.Translation) Text {
	return Text{Written{Hash: HashText(texts.Title)}, Written{Hash: HashText(texts.Description)}}
}

// DecideText is [Merge.Decide] for a title and a description. write holds those that are to be
// written, under these names.
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

// ReadBack is [Written.ReadBack] for those of the two that a write holds.
func (t *Text) ReadBack(write map[string]any, held shopadapter.Translation) bool {
	_, title := write["title"]
	_, description := write["description"]
	title = title && t.Title.ReadBack(HashText(held.Title))
	return description && t.Description.ReadBack(HashText(held.Description)) || title
}

// Holds reports whether the shop holds the two as they were written last.
func (t Text) Holds(held shopadapter.Translation) bool {
	return t.Title.IsOwn(HashText(held.Title), false) && t.Description.IsOwn(HashText(held.Description), false)
}

// CompareText is [Comparison.Compare] for a title and a description.
func (c *Comparison) CompareText(title shopadapter.Fields, held shopadapter.Translation, last Text) {
	c.Compare(title, HashText(held.Title), last.Title)
	c.Compare(shopadapter.FieldDescription, HashText(held.Description), last.Description)
}
