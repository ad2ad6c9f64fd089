package connector

import (
	"net/http"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/connector/marketplace"
)

// Options make a Connector.
type Options struct {
	engine.Options // New fills in Market and Reports

	Marketplace *marketplace.Client
	First       Secrets        // at the start
	Reread      func() Secrets // those in use now; nil: none change

	Webhook WebhookOptions
	App     *App                    // nil: no public app
	Desk    *desk.Local             // New fills in store, rules and worker; may be nil
	Pages   map[string]http.Handler // of the admin listener, by pattern
	// the marketplace's: if on this machine, the dashboard shows pictures without https
	Address string
}

// WebhookOptions is the public listener's part.
type WebhookOptions struct {
	Prefix string   // of the marketplace's headers
	URL    string   // to register; empty: none
	Events []string // nil: DefaultEvents
}

// DefaultEvents returns the events that concern the import list.
func DefaultEvents() []string {
	return []string{"PUBLICATION_CREATED", "PRODUCT_UPDATED", "PRODUCT_DELETED"}
}

// An App is a public app. New fills in what the connector has.
type App struct {
	install.Options
	InUse bool // the installation's token is used; else a configured one wins
}
