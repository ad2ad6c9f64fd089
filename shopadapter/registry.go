package shopadapter

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
)

// A Factory makes one kind of adapter.
type Factory struct {
	Summary  string    // one line for `pubsync adapters`
	Settings []Setting // what the adapter reads; the connector refuses every other PUBSYNC_<NAME>_… variable

	// Open makes the adapter. It contacts nobody: a shop that is down must not keep the worker from starting.
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

// Options is what an adapter gets from its caller.
type Options struct {
	// Settings holds a value for each Setting by its Name: the default where none is set, "" where there is no default.
	Settings map[string]string
	// HTTPClient is for every request the adapter makes. It sends a User-Agent, follows no redirect, and bounds time and size; tests replace
	// its transport to inject faults.
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

// Open makes the named adapter. Missing settings take their defaults; a missing HTTPClient or Logger takes a plain one.
func Open(name string, o Options) (Adapter, error) {
	f, ok := Lookup(name)
	if !ok {
		return nil, fmt.Errorf("no shop adapter %q: one of %v", name, Names())
	}
	settings := make(map[string]string, len(f.Settings))
	for _, s := range f.Settings {
		settings[s.Name] = s.Default
		if v := o.Settings[s.Name]; v != "" {
			settings[s.Name] = v
		}
	}
	o.Settings = settings
	if o.HTTPClient == nil {
		o.HTTPClient = http.DefaultClient
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return f.Open(o)
}
