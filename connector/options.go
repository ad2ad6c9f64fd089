package connector

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/robfig/cron/v3"
	"golang.org/x/sync/semaphore"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/secrets"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/store"
)

// Options are what a Connector is made from. The zero value of a rule does nothing: no markup, no
// buffer, nothing kept.
type Options struct {
	Store       store.Store
	Marketplace *marketplace.Client
	Shop        shopadapter.Adapter
	ShopName    string // the adapter's name, for logs and metrics
	Logger      *slog.Logger
	Redact      func(string) string // removes secrets from a text; nil: there are none
	// reads the secrets again and returns those that changed since the last call; nil: they never
	// do
	Reread  func() secrets.Set
	Version string

	Rules publication.Rules
	// setting of prices and stock -> digest of its value: a change of the rules without a change of
	// a setting is held; nil: none is
	RuleSet map[string]string
	Brake   publication.Brake
	// the adapter's settings that decide what is written, by variable
	Writes      map[string]publication.Writing
	Concurrency int // publications worked on at a time
	// a slot for each call that the shops of all accounts of the process may get at a time; nil: this
	// connector's calls are bounded by Concurrency alone
	AllCalls *semaphore.Weighted

	OnRemoved publication.OnRemoved
	// ReportDrift shows figures that somebody changed in the shop, and leaves them; else they are put right
	ReportDrift bool

	FailAfter    time.Duration
	RefreshAfter time.Duration
	Sweep        cron.Schedule           // incremental sweeps; nil: none
	Resync       cron.Schedule           // enumerations; nil: none
	Variants     publication.VariantMode // whether the list of product variants is followed; "": it is not
	Grace        time.Duration           // for work under way when the worker stops
	// of the marketplace's amounts: compared with the shop's, where its adapter can tell; "": it is
	// not
	Currency string
	// Said is what the shop's check has just said, before anything was opened; nil: it was not asked, or
	// did not answer
	Said *shopadapter.Info
	// tells this installation from others until the marketplace has named its account: a digest, no
	// secret
	Install string

	Webhook WebhookOptions
	App     *AppOptions // nil: pubsync is not installed as a public app
	Admin   AdminOptions

	Scarce  func() bool  // whether every change counts as a backlog; nil: the schedule says
	Visitor *http.Client // sees the page of a product once a day, see visitor.NewClient; nil: none is seen
}

// WebhookOptions is the public listener's part.
type WebhookOptions struct {
	Secret    string // of signed webhooks; empty: none are accepted
	PathToken string // of the unsigned default webhook; empty: none are accepted
	Prefix    string // of the marketplace's headers
	URL       string // registered with the marketplace; empty: none is

	Events []string // what it is registered for; nil: DefaultEvents
}

// DefaultEvents are the events that tell of a change of the import list or of what is on it.
func DefaultEvents() []string {
	return []string{"PUBLICATION_CREATED", "PRODUCT_UPDATED", "PRODUCT_DELETED"}
}

// AppOptions is the public app that pubsync can be installed as.
type AppOptions struct {
	ClientID  string
	Secret    string
	AuthURL   string   // of the marketplace's OAuth screens
	Scopes    []string // each must be granted
	Origin    string   // of the public listener, as a browser reaches it
	UserAgent string
	InUse     bool // whether the token comes by installation; else a configured one wins

	Account func(ctx context.Context, token string) (string, error) // asks the marketplace whose token it is
	Hide    func(token string)                                      // removes a new token from all texts
	Kept    func(token string)                                      // is called with the token that is used from now on

	Transport http.RoundTripper // by which a code is exchanged for a token; nil: sockets
}

// AdminOptions is the admin listener's part.
type AdminOptions struct {
	Token    string                  // empty: none is asked for, which only a loopback listener may do
	Settings map[string]string       // variable -> digest of its value: to warn a caller whose settings differ
	Pages    map[string]http.Handler // what else is served: path prefix -> page
	// the marketplace's address: the dashboard shows pictures without https where it is on this machine
	Marketplace string

	Figures map[string]string // the settings of prices and stock that are set
	// BackUp writes a copy of a store that is no file; nil: there is no such copy
	BackUp func(ctx context.Context, w io.Writer) error
	// Try reads these settings with others in the place of some; nil: none can be tried
	Try func(set map[string]string) (publication.Rules, publication.Brake, error)
}
