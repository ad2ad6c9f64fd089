package shopadapter

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// A Factory makes one kind of adapter.
type Factory struct {
	Summary  string    // one line for `pubsync adapters`
	Settings []Setting // what the adapter reads; the connector refuses every other PUBSYNC_<NAME>_… variable

	// Open makes the adapter from complete options, see Options.Complete. It makes no request: a shop that is down must not keep the worker from
	// starting. An adapter beside an error is not looked at.
	Open func(Options) (Adapter, error)
}

// A Setting is one environment variable of an adapter, PUBSYNC_<ADAPTER>_<Name>.
type Setting struct {
	Name     string // upper case, for example TOKEN
	Default  string
	Meaning  string // one line
	Required bool
	Secret   bool                     // never printed, and also read from the file that …_FILE names
	Valid    func(value string) error // nil: any value; the error says what a good value looks like and does not echo the value
}

// Variable is the environment variable of an adapter's setting. A hyphen in the adapter's name becomes an underscore.
func Variable(adapter, setting string) string {
	return "PUBSYNC_" + strings.ToUpper(strings.ReplaceAll(adapter, "-", "_")) + "_" + setting
}

// Options is what an adapter gets from its caller.
type Options struct {
	// Settings holds a value for each Setting by its Name: the default where none is set, "" where there is no default.
	Settings map[string]string
	// VATPercent is PUBSYNC_PRICE_VAT_PERCENT, for a shop that takes prices without tax; see ChoosePrices. "" and 0: none is set.
	VATPercent string
	// HTTPClient is for every request the adapter makes. It sends a User-Agent, follows no redirect, and bounds time; tests replace its transport to
	// inject faults.
	HTTPClient *http.Client
	Logger     *slog.Logger
}

var (
	registryMu sync.RWMutex
	registry   = map[string]Factory{}
)

// Register makes an adapter available under name, lower case. It panics on a duplicate name or a nil Open.
func Register(name string, f Factory) {
	registryMu.Lock()
	defer registryMu.Unlock()
	if f.Open == nil {
		panic("shopadapter: Register of " + name + " without Open")
	}
	if _, dup := registry[name]; dup {
		panic("shopadapter: Register called twice for " + name)
	}
	registry[name] = f
}

// Names lists the registered adapters in order.
func Names() []string {
	registryMu.RLock()
	defer registryMu.RUnlock()
	names := make([]string, 0, len(registry))
	for name := range registry {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Lookup finds a registered adapter.
func Lookup(name string) (Factory, bool) {
	registryMu.RLock()
	defer registryMu.RUnlock()
	f, ok := registry[name]
	return f, ok
}

// Open makes the named adapter from options that need not be complete.
func Open(name string, o Options) (Adapter, error) {
	f, ok := Lookup(name)
	if !ok {
		return nil, fmt.Errorf("no shop adapter %q: one of %v", name, Names())
	}
	o, err := o.Complete(name, f.Settings)
	if err != nil {
		return nil, err
	}
	adapter, err := f.Open(o)
	if err != nil {
		return nil, err // an adapter beside an error may be a nil pointer
	}
	return adapter, nil
}

// Complete is the options as the named adapter may rely on them. Each of its settings has a value or its default, and each value is valid. HTTPClient
// follows no redirect: the credentials go to the address that was configured and to no other. The Logger is there. The error joins all faults; each
// names its variable and echoes no value.
func (o Options) Complete(name string, settings []Setting) (Options, error) {
	values := make(map[string]string, len(settings))
	var faults []error
	for _, s := range settings {
		value := cmp.Or(o.Settings[s.Name], s.Default)
		variable := Variable(name, s.Name)
		switch {
		case value == "" && s.Required:
			faults = append(faults, fmt.Errorf("%s is missing: %s", variable, s.Meaning))
		case value != "" && s.Valid != nil:
			if err := s.Valid(value); err != nil {
				faults = append(faults, fmt.Errorf("%s %w", variable, err))
			}
		}
		values[s.Name] = value
	}
	o.Settings = values
	client := http.Client{}
	if o.HTTPClient != nil {
		client = *o.HTTPClient
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	o.HTTPClient = &client
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o, errors.Join(faults...)
}
