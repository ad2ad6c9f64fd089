package stamp

import "github.com/pubsync/pubsync/shopadapter"

// A Text is what a stamp says of a title and a description: of the product's own, or of those in
// one language.
type Text struct {
	Title       Written `json:"title"`
	Description Written `json:"description"`
}

// DecideText is [Merge.Decide] for the two. The title belongs to the given group, the description
// to its own. write holds the texts that are to be written, under the names title and description.
func (m *Merge) DecideText(
	title shopadapter.Fields,
	held, want shopadapter.Translation,
	last *Text,
) (write map[string]any) {
	write = map[string]any{}
	if m.Decide(title, HashText(held.Title), HashText(want.Title), &last.Title) {
		write["title"] = want.Title
	}
	if m.Decide(
		shopadapter.FieldDescription,
		HashText(held.Description),
		HashText(want.Description),
		&last.Description,
	) {
		write["description"] = want.Description
	}
	return write
}

// Wrote notes texts that were written where there were none.
func (t *Text) Wrote(texts shopadapter.Translation) {
	*t = Text{Written{Hash: HashText(texts.Title)}, Written{Hash: HashText(texts.Description)}}
}

// ReadBack is [Written.ReadBack] for those of the two that a write holds.
func (t *Text) ReadBack(write map[string]any, held shopadapter.Translation) bool {
	_, title := write["title"]
	_, description := write["description"]
	title = title && t.Title.ReadBack(HashText(held.Title))
	return description && t.Description.ReadBack(HashText(held.Description)) || title
}

// Settle forgets what the shop may hold instead of the two.
func (t *Text) Settle() {
	t.Title.Instead()
	t.Description.Instead()
}

// Holds reports whether the shop holds the two as they were written last.
func (t *Text) Holds(held shopadapter.Translation) bool {
	return t.Title.IsOwn(HashText(held.Title), false) && t.Description.IsOwn(HashText(held.Description), false)
}
