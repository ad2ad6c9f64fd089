package publication

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/store"
)

// awaitedLanguage is the language that a publication must wait for, "" for none. wanted is the
// languages of the settings, asked those of them that were asked for, nil where that is not known,
// and titled says that the reading has a title in one of them. It is pure.
//
// A schema may lose a language by mistake. While the language that a product was written in is
// missing, the product is not written in another one. While a wanted language was not asked for, no
// product is refused for lack of a title. The wait ends when the schema has the language again, or
// the settings no longer name it.
func awaitedLanguage(r store.Record, wanted, asked []string, titled bool) string {
	if asked == nil {
		return ""
	}
	lacks := func(language string) bool {
		return slices.Contains(wanted, language) && !slices.Contains(asked, language)
	}
	switch {
	case r.WrittenAt != 0 && lacks(r.Language):
		return fmt.Sprintf(
			"the marketplace's schema lacks the language %s, in which this product was written: it stays as it is "+
				"until the language is back, "+
				"or PUBSYNC_MARKETPLACE_LANGUAGES no longer names it",
			r.Language,
		)
	case !titled && slices.ContainsFunc(wanted, lacks):
		missing := slices.DeleteFunc(slices.Clone(wanted), func(l string) bool { return !lacks(l) })
		return fmt.Sprintf(
			"it has no title in the languages that the marketplace's schema has, and %s could not be asked for",
			strings.Join(missing, ", "),
		)
	}
	return ""
}
