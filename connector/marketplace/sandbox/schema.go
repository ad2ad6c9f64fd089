package sandbox

import (
	_ "embed" // of the specification's schema
	"regexp"
	"strings"
)

// languages are those of texts and of category names.
var languages = []string{"en", "nl", "de", "fr"}

// spell is a status as the schema has it.
func (o Options) spell(status string) string {
	if o.Status == StatusEnumUpper {
		return strings.ToUpper(status)
	}
	return status
}

//go:embed marketplace.graphql
var specified string

// sdl is the schema of a marketplace with these options: the specification's, edited where it
// leaves a type open.
func (o Options) sdl() string {
	success, failed := o.spell(statusSuccess), o.spell(statusFailed)
	sdl := specified + "\nenum PublicationStatus { " + o.spell(statusSyncing+" ") + success + " " + failed +
		" }\nenum PublicationStatusReport { " + success + " " + failed +
		" }\nenum WebhookEvent { " + strings.Join(o.Events, " ") + " }\n"
	edit := func(yes bool, from, to string) {
		if yes {
			sdl = strings.ReplaceAll(sdl, from, to)
		}
	}
	edit(o.Gone == GoneWhole, "): Publication\n", "): Publication!\n")
	edit(o.NoUserErrors, "  publication: Publication\n  userErrors: [UserError!]!\n", "  publication: Publication\n")
	edit(o.NoUpdatedAtSort, "  ID_DESC\n  UPDATED_AT_ASC\n", "  ID_DESC\n")
	edit(o.StringIDs, ": ID!", ": String!")
	edit(o.StringImageMethod, "method: ImageMethod", "method: String")
	edit(o.EnumEvents, "events: [String!]!", "events: [WebhookEvent!]!")
	edit(o.Status != StatusString, "status: String!\n  listing", "status: PublicationStatus!\n  listing")
	edit(o.Status != StatusString, "status: String!\n  productUrl", "status: PublicationStatusReport!\n  productUrl")
	for _, lang := range o.ExtraLanguages {
		edit(true, "  nl: Translation\n", "  nl: Translation\n  "+lang+": Translation\n")
	}
	for _, e := range o.Schema {
		edit(true, e[0], e[1])
	}
	for _, field := range o.Lacks {
		of, name, _ := strings.Cut(field, ".")
		before := sdl
		sdl = regexp.MustCompile(`(?ms)^(type `+of+` \{$.*?)^  `+name+`\b[^\n]*\n`).ReplaceAllString(sdl, "$1")
		if sdl == before {
			panic("sandbox: Options.Lacks names " + field + ", which the schema does not have")
		}
	}
	return sdl
}
