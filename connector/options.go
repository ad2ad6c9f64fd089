package connector

import (
	"net/http"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/connector/install"
	"github.com/pubsync/pubsync/connector/marketplace"
)

// Options are what a Connector is made from.
type Options struct {
	engine.Options // Market and Reports are filled in by New

	Marketplace *marketplace.Client
	First       Secrets        // the secrets at the start
	Reread      func() Secrets // reads them again and returns those that changed since; nil: they never do

	Webhook WebhookOptions
	App     *App                    // nil: pubsync is not installed as a public app
	Desk    *desk.Local             // what it tells beside the store, the rules and the worker; nil: nothing
	Pages   map[string]http.Handler // what else the admin listener serves: pattern -> page
	// the marketplace's address: the dashboard shows pictures without https where it is on this machine
	Address string
}

// WebhookOptions is the public listener's part.
type WebhookOptions struct {
	Prefix string   // of the marketplace's headers
	URL    string   // registered with the marketplace; empty: none is
	Events []string // what it is registered for; nil: DefaultEvents
}

// DefaultEvents are the events that tell of a change of the import list or of what is on it.
func DefaultEvents() []string {
	return []string{"PUBLICATION_CREATED", "PRODUCT_UPDATED", "PRODUCT_DELETED"}
}

// An App is the public app that pubsync can be installed as. New fills in what the connector itself has.
type App struct {
	install.Options
	InUse bool // whether the token comes by installation; else a configured one wins
}
