package sandbox

import (
	_ "embed" // of the specification's schema
	"regexp"
	"strings"
)

// The event names a webhook can be registered for, in the specification's order.
var eventNames = []string{
	"PRODUCT_CREATED", "PRODUCT_UPDATED", "PRODUCT_DELETED", "ORDER_CREATED", "ORDER_CONFIRMED", "ORDER_UPDATED",
	"ORDER_CANCELLED", "INVOICE_CREATED", "PUBLICATION_CREATED",
}

// events lists the names that a webhook can be registered for.
func (o Options) events() []string {
	if o.Events != nil {
		return o.Events
	}
	return eventNames
}

// languages are those of texts and of category names.
var languages = []string{"en", "nl", "de", "fr"}

// languages lists the translations this marketplace has, en and nl first.
func (o Options) languages() []string { return append([]string{"en", "nl"}, o.ExtraLanguages...) }

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
	sdl := specified
	edit := func(yes bool, from, to string) {
		if yes {
			sdl = strings.ReplaceAll(sdl, from, to)
		}
	}
	enum := func(yes bool, name string, values ...string) {
		if yes {
			sdl += "\nenum " + name + " { " + strings.Join(values, " ") + " }\n"
		}
	}
	edit(o.FitImages, "  CROP\n  FILL\n", "  CROP\n  FILL\n  FIT\n")
	for _, lang := range o.ExtraLanguages {
		edit(true, "  nl: Translation\n", "  nl: Translation\n  "+lang+": Translation\n")
	}
	edit(o.Gone == GoneWhole, "): Publication\n", "): Publication!\n")
	edit(o.NoUserErrors, "  publication: Publication\n  userErrors: [UserError!]!\n", "  publication: Publication\n")
	edit(o.NoUpdatedAtSort, "  ID_DESC\n  UPDATED_AT_ASC\n", "  ID_DESC\n")
	edit(o.StringIDs, ": ID!", ": String!")
	edit(o.StringImageMethod, "method: ImageMethod", "method: String")
	edit(o.StringReturns, "dropshippingReturns: Boolean", "dropshippingReturns: String")
	edit(o.StringShippingDays, "estimatedShippingDays: Int", "estimatedShippingDays: String")
	edit(o.OneShipping, "[DropshippingShippingDetail!]", "DropshippingShippingDetail")
	edit(o.EnumPolicy, "inventoryPolicy: String", "inventoryPolicy: InventoryPolicy")
	enum(o.EnumPolicy, "InventoryPolicy", policyContinue, policyDeny)
	edit(o.EnumEvents, "events: [String!]!", "events: [WebhookEvent!]!")
	enum(o.EnumEvents, "WebhookEvent", o.events()...)

	isEnum, reported := o.Status != StatusString, []string{o.spell(statusSuccess), o.spell(statusFailed)}
	edit(isEnum, "status: String!\n  listing", "status: PublicationStatus!\n  listing")
	edit(isEnum, "status: String!\n  productUrl", "status: PublicationStatusReport!\n  productUrl")
	enum(isEnum, "PublicationStatus", o.spell(statusSyncing), reported[0], reported[1], o.spell(o.ExtraStatus))
	enum(isEnum, "PublicationStatusReport", reported...)
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
