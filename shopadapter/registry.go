package shopadapter

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/sethvargo/go-envconfig"
)

// A Factory makes one kind of adapter.
type Factory struct {
	Summary string // one line for `pubsync adapters`
	// Settings is a struct for SettingsOf, or nil. The connector refuses other PUBSYNC_<NAME>_… variables.
	Settings any
	// Drafts says that the adapter obeys Product.Draft and sets Listing.Draft; else PUBSYNC_PUBLISH_AS=draft is refused.
	Drafts bool
	// Open fills its settings by Options.Complete. It makes no request: the worker starts although a shop is down.
	Open func(Options) (Adapter, error)
}

// List returns the settings that the adapter reads.
func (f Factory) List() []Setting { return SettingsOf(f.Settings) }

// Faults returns the faults in the named adapter's settings, each a *Fault.
func (f Factory) Faults(name string, settings map[string]string) []error {
	if f.Settings == nil {
		return nil
	}
	return fill(name, reflect.New(reflect.TypeOf(f.Settings)).Interface(), settings)
}

func fill(name string, into any, settings map[string]string) []error {
	faults := Fill(into, "", envconfig.MapLookuper(settings))
	for _, err := range faults {
		if fault, ok := errors.AsType[*Fault](err); ok {
			fault.Variable = Variable(name, fault.Variable)
		}
	}
	return faults
}

var shared = []string{"PRICES", "IMAGE_HOSTS", "WEIGHT_UNIT", "DIMENSION_UNIT"}

// Variable returns a setting's environment variable: PUBSYNC_<ADAPTER>_<setting>, or PUBSYNC_SHOP_<setting> for
// PRICES, IMAGE_HOSTS, WEIGHT_UNIT and DIMENSION_UNIT. Hyphens become underscores.
func Variable(adapter, setting string) string {
	if slices.Contains(shared, setting) {
		adapter = "shop"
	}
	return "PUBSYNC_" + strings.ToUpper(strings.ReplaceAll(adapter, "-", "_")) + "_" + setting
}

// Options is what the caller gives an adapter.
type Options struct {
	Settings   map[string]string // by Setting.Name
	VATPercent string            // PUBSYNC_PRICE_VAT_PERCENT, for ChoosePrices; "" and 0: none
	// HTTPClient is for every request. It sends a User-Agent, bounds time, and follows no redirect, so that credentials
	// reach only the configured address.
	HTTPClient *http.Client
	Logger     *slog.Logger
}

// registry is written by init functions alone.
var registry = map[string]Factory{}

// Register adds an adapter under a lower-case name, from init. It panics on a duplicate or a nil Open.
func Register(name string, f Factory) {
	if f.Open == nil {
		panic("shopadapter: Register of " + name + " without Open")
	}
	if _, dup := registry[name]; dup {
		panic("shopadapter: Register called twice for " + name)
	}
	registry[name] = f
}

// Names returns the registered adapters, sorted.
func Names() []string { return slices.Sorted(maps.Keys(registry)) }

// Lookup finds a registered adapter.
func Lookup(name string) (Factory, bool) {
	f, ok := registry[name]
	return f, ok
}

// Open makes the named adapter, and completes its options.
func Open(name string, o Options) (Adapter, error) {
	f, ok := Lookup(name)
	if !ok {
		return nil, fmt.Errorf("no shop adapter %q: one of %v", name, Names())
	}
	adapter, err := f.Open(o.whole())
	if err != nil {
		return nil, err // an adapter beside an error may be a nil pointer
	}
	return adapter, nil
}

// Complete fills settings, a pointer to the Factory's struct, and sets HTTPClient and Logger. The error joins all
// faults; it names variables, not values.
func (o Options) Complete(name string, settings any) (Options, error) {
	return o.whole(), errors.Join(fill(name, settings, o.Settings)...)
}

func (o Options) whole() Options {
	client := *cmp.Or(o.HTTPClient, &http.Client{})
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client.Transport = cmp.Or[http.RoundTripper](client.Transport, http.DefaultTransport)
	o.HTTPClient, o.Logger = &client, cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return o
}
