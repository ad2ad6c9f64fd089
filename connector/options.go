package connector

import (
	"context"
	"io"
	"net/http"

	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/connector/secrets"
)

// Options are what a Connector is made from.
type Options struct {
	engine.Options // Market and Reports are filled in by New

	Marketplace *marketplace.Client
	// Reread reads the secrets again and returns those that changed since the last call; nil: they never do
	Reread func() secrets.Set

	Webhook WebhookOptions
	App     *AppOptions // nil: pubsync is not installed as a public app
	Admin   AdminOptions
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
