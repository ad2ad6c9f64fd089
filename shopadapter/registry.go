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
	// Settings is a struct of what the adapter reads, see SettingsOf; nil: nothing. The connector
	// refuses every other PUBSYNC_<NAME>_… variable.
	Settings any
	// Drafts says that the adapter leaves a product off sale where Product.Draft asks for it, and
	// tells in Listing.Draft where it did. Without it PUBSYNC_PUBLISH_AS=draft is refused.
	Drafts bool
	// Open makes the adapter. It fills its settings by Options.Complete, and makes no request: a
	// shop that is down must not keep the worker from starting.
	Open func(Options) (Adapter, error)
}

// List is the settings that the adapter reads.
func (f Factory) List() []Setting { return SettingsOf(f.Settings) }

// Faults is what is wrong with the settings of the named adapter, each a *Fault.
func (f Factory) Faults(name string, settings map[string]string) []error {
	if f.Settings == nil {
		return nil
	}
	return fill(name, reflect.New(reflect.TypeOf(f.Settings)).Interface(), settings)
}

// fill is Fill, with the faults of the named adapter's variables.
func fill(name string, into any, settings map[string]string) []error {
	faults := Fill(into, "", envconfig.MapLookuper(settings))
	for _, err := range faults {
		if fault, ok := errors.AsType[*Fault](err); ok {
			fault.Variable = Variable(name, fault.Variable)
		}
	}
	return faults
}

// shared is the settings that mean the same to every adapter that has them.
var shared = []string{"PRICES", "IMAGE_HOSTS", "WEIGHT_UNIT", "DIMENSION_UNIT"}

// Variable is the environment variable of an adapter's setting: PUBSYNC_SHOP_<setting> for PRICES,
// IMAGE_HOSTS, WEIGHT_UNIT and DIMENSION_UNIT, else PUBSYNC_<ADAPTER>_<setting>. A hyphen in the
// adapter's name becomes an underscore.
func Variable(adapter, setting string) string {
	if slices.Contains(shared, setting) {
		adapter = "shop"
	}
	return "PUBSYNC_" + strings.ToUpper(strings.ReplaceAll(adapter, "-", "_")) + "_" + setting
}

// Options is what an adapter gets from its caller.
type Options struct {
	Settings   map[string]string // what is set, by the name of each Setting
	VATPercent string            // PUBSYNC_PRICE_VAT_PERCENT, for ChoosePrices; "" and 0: none is set
	// HTTPClient is for every request the adapter makes. It sends a User-Agent, follows no
	// redirect, and bounds time; tests replace its transport to inject faults.
	HTTPClient *http.Client
	Logger     *slog.Logger
}

// registry is written by init functions alone.
var registry = map[string]Factory{}

// Register makes an adapter available under name, lower case, from an init function. It panics on a
// duplicate name or a nil Open.
func Register(name string, f Factory) {
	if f.Open == nil {
		panic("shopadapter: Register of " + name + " without Open")
	}
	if _, dup := registry[name]; dup {
		panic("shopadapter: Register called twice for " + name)
	}
	registry[name] = f
}

// Names lists the registered adapters in order.
func Names() []string { return slices.Sorted(maps.Keys(registry)) }

// Lookup finds a registered adapter.
func Lookup(name string) (Factory, bool) {
	f, ok := registry[name]
	return f, ok
}

// Open makes the named adapter from options that need not be complete.
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

// Complete fills settings, a pointer to the struct of the Factory, and is the options as the named
// adapter may rely on them: HTTPClient follows no redirect, so that credentials go to the configured
// address alone, and there is a Logger. The error joins all faults; each names its variable and echoes
// no value.
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
