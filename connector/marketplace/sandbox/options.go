package sandbox

import (
	"cmp"
	_ "embed" // of the specification's schema
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// The names and secrets of a marketplace where Options has none.
const (
	DefaultToken    = "sandbox-token"
	DefaultSecret   = "sandbox-secret"
	DefaultClientID = "sandbox-app"
)

// Options is what is settled when a marketplace is made. The zero value is the specification at its
// word.
type Options struct {
	Token      string // the bearer token that is accepted
	Secret     string // the app's: signs webhooks and the steps of an installation
	Account    string // the account's slug, and its id
	ChannelURL string // the retailer's store as the channel names it

	// The cost bucket.
	Limit              int            // points; 1000 when 0
	RestoreRate        float64        // points a second; 50 when 0
	QueryLimit         int            // the most one query may request; Limit when 0, and never more
	ScalarCost         int            // points of a scalar: 0 or 1
	FieldCosts         map[string]int // points of one value of a field, where they are other than its kind's
	PageInfoMultiplied bool           // pageInfo counts once per requested entry
	Bare429            bool           // where the bucket has no room: 429 and a few words, else 200 and an error

	// What the specification leaves open.
	StringIDs       bool        // identifiers are String, not ID
	Status          StatusForm  // of a publication, read and reported
	GoneError       bool        // an id that is not on the list is an error with the code NOT_FOUND, else null
	NoUpdatedAtSort bool        // publications sort by ID_DESC alone
	NoIntrospection bool        // __schema is refused
	Schema          [][2]string // further edits of the schema's text: a part, and what stands there instead
	Lacks           []string    // fields that the schema has not: "Product.brand"
	Denied          []string    // root fields that the token may not read
	OthersVariants  bool        // productVariants shows a product of the account's own, which no import list has

	// Habits of the server.
	RequestErrorStatus int                         // of a document that is not valid; 200 when 0
	Events             []string                    // that webhooks can be registered for; nil: the specification's
	KeepCallback       func(address string) string // how a new webhook's address is kept; nil: as it was sent
	UpdatedAtPrecision time.Duration               // updatedAt is cut to this and may repeat; 0: it never does
	Seed               uint64                      // of ids and of the faults' dice
}

// StatusForm is how a publication's status is typed and spelled.
type StatusForm int

// The forms of a status.
const (
	StatusString    StatusForm = iota // String: syncing, success, failed
	StatusEnum                        // an enum of syncing, success, failed
	StatusEnumUpper                   // an enum of SYNCING, SUCCESS, FAILED
)

func (o *Options) setDefaults() {
	o.Token, o.Secret = cmp.Or(o.Token, DefaultToken), cmp.Or(o.Secret, DefaultSecret)
	o.Account, o.ChannelURL = cmp.Or(o.Account, "sandbox-retailer"), cmp.Or(o.ChannelURL, "https://shop.example")
	o.Limit, o.RestoreRate = cmp.Or(o.Limit, 1000), cmp.Or(o.RestoreRate, 50)
	o.QueryLimit = min(cmp.Or(o.QueryLimit, o.Limit), o.Limit)
	o.RequestErrorStatus = cmp.Or(o.RequestErrorStatus, 200)
	if o.Events == nil {
		o.Events = []string{
			"PRODUCT_CREATED", eventContent, "PRODUCT_DELETED", "ORDER_CREATED", "ORDER_CONFIRMED", "ORDER_UPDATED",
			"ORDER_CANCELLED", "INVOICE_CREATED", eventCreated,
		}
	}
}

func (o *Options) spell(status string) string {
	if o.Status == StatusEnumUpper {
		return strings.ToUpper(status)
	}
	return status
}

//go:embed marketplace.graphql
var specified string

// schema is the specification's, edited where it leaves a type open.
func (o *Options) schema() *ast.Schema {
	sdl := fmt.Sprintf("%s\nenum PublicationStatus { %s }\nenum WebhookEvent { %s }\n", specified,
		o.spell("syncing success failed"), strings.Join(o.Events, " "))
	edit := func(yes bool, from, to string) {
		if yes {
			sdl = strings.ReplaceAll(sdl, from, to)
		}
	}
	edit(o.NoUpdatedAtSort, "  ID_DESC\n  UPDATED_AT_ASC\n", "  ID_DESC\n")
	edit(o.StringIDs, ": ID!", ": String!")
	edit(o.Status != StatusString, "  status: String!", "  status: PublicationStatus!")
	for _, e := range o.Schema {
		edit(true, e[0], e[1])
	}
	schema := gqlparser.MustLoadSchema(&ast.Source{Name: "marketplace.graphql", Input: sdl})
	for _, field := range o.Lacks {
		of, name, _ := strings.Cut(field, ".")
		def := schema.Types[of]
		if def == nil || def.Fields.ForName(name) == nil {
			panic("the schema has no " + field)
		}
		def.Fields = slices.DeleteFunc(def.Fields, func(f *ast.FieldDefinition) bool { return f.Name == name })
	}
	return schema
}
