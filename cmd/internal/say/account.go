package say

import (
	"cmp"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace"
)

// Holder describes an account in a few words.
func Holder(h marketplace.Holder) string {
	text := cmp.Or(h.Name, h.Slug, "without a name")
	if h.Name != "" && h.Slug != "" && h.Name != h.Slug {
		text += " (" + h.Slug + ")"
	}
	if h.Type != "" {
		text += ", " + strings.ToLower(h.Type)
	}
	return Harmless(text)
}

// Channels lists the stores that the marketplace thinks it feeds.
func Channels(list []marketplace.Channel) string {
	var names []string
	for _, c := range list {
		name := cmp.Or(c.Name, c.ID, "a store")
		if c.URL != "" {
			name += " at " + c.URL
		}
		names = append(names, name)
	}
	return Harmless(strings.Join(names, "; "))
}
