package setup

import (
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/connector/secrets"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// A secretSource reads secrets again while the worker runs, from their files and from the env
// files. A file that cannot be read changes nothing. Other settings wait for the next start.
type secretSource struct {
	config *Setup
	log    *slog.Logger

	mu     sync.Mutex
	source config.Environment // as the env files were last read whole
	now    map[string]string  // every variable, as last read
	known  map[string]string  // secret -> its value in use
	said   string             // the last error that was logged
	opened []shopadapter.Adapter
}

// writing is how long a file may be half written. A new value is read again after this time, and
// used if both readings agree.
const writing = 200 * time.Millisecond

// newSecretSource returns the source of a configuration's secrets, nil if no file is read.
func newSecretSource(c *Setup, log *slog.Logger) *secretSource {
	if c.source == nil || !c.source.Rereads() {
		return nil
	}
	v := &secretSource{config: c, log: log, source: *c.source, known: map[string]string{}}
	for _, s := range config.Variables() {
		// the receivers of alerts are those of the start; a secret that was not set stays so
		if value := c.Values[s.Name]; s.Secret && value != "" && !strings.HasPrefix(s.Name, config.Prefix+"ALERT_") {
			v.known[s.Name] = value
		}
	}
	return v
}

// read reads the files again and returns the secrets that are new.
func (v *secretSource) read() (fresh secrets.Set) {
	v.mu.Lock()
	defer v.mu.Unlock()
	changed, err := v.look()
	if len(changed) > 0 {
		time.Sleep(writing)
		again, failed := v.look()
		err = failed
		maps.DeleteFunc(changed, func(name, value string) bool { return again[name] != value })
	}
	if moved := v.moved(config.Prefix + "MARKETPLACE_URL"); moved != nil {
		delete(changed, config.Prefix+"MARKETPLACE_TOKEN")
		err = errors.Join(err, moved)
	}
	shop, shopErr := v.reopen(changed)
	v.complain(errors.Join(err, shopErr))
	for name, value := range changed {
		v.known[name] = value
	}
	if len(changed) > 0 {
		v.log.Info("secrets read again", "changed", slices.Sorted(maps.Keys(changed)))
	}
	of := func(name string) string { return changed[config.Prefix+name] }
	hooks := of("WEBHOOK_SECRET")
	if v.config.Values[config.Prefix+"WEBHOOK_SECRET"] == "" { // then the app's secret signs webhooks too
		hooks = of("OAUTH_CLIENT_SECRET")
	}
	return secrets.Set{
		MarketplaceToken: of("MARKETPLACE_TOKEN"), WebhookSecret: hooks, ClientSecret: of("OAUTH_CLIENT_SECRET"),
		PathToken: of("WEBHOOK_PATH_TOKEN"), AdminToken: of("ADMIN_TOKEN"), Shop: shop,
	}
}

// look returns the secrets that have a new value, which the filter hides from now on.
func (v *secretSource) look() (changed map[string]string, err error) {
	source, err := v.source.Again()
	if err == nil {
		v.source = source
	}
	var faults []error
	v.now, faults = v.source.Values()
	changed = map[string]string{}
	for name, value := range v.known {
		if now := v.now[name]; now != "" && now != value {
			changed[name] = now
			v.config.filter.hide(now)
		}
	}
	return changed, errors.Join(append(faults, err)...)
}

// moved returns an error if a setting that is no secret has changed in the env file. A new secret
// beside a new address must not be sent to the old one.
func (v *secretSource) moved(name string) error {
	if v.now[name] == v.config.Values[name] {
		return nil
	}
	return &shopadapter.Fault{
		Variable: name,
		Text:     "has changed in the env file: the secrets beside it apply from the next start on",
	}
}

// reopen opens the shop's adapter with its new credentials, nil if they did not change. If it does
// not open, they are tried again later.
func (v *secretSource) reopen(changed map[string]string) (shop shopadapter.Adapter, err error) {
	f, _ := shopadapter.Lookup(v.config.ShopAdapter)
	settings, moved := maps.Clone(v.config.Adapter), v.moved(config.Prefix+"SHOP_ADAPTER")
	var names []string
	for _, s := range f.List() {
		name := shopadapter.Variable(v.config.ShopAdapter, s.Name)
		if value := changed[name]; value != "" {
			settings[s.Name], names = value, append(names, name)
		}
		if !s.Secret {
			moved = errors.Join(moved, v.moved(name))
		}
	}
	if len(names) == 0 {
		return nil, nil //nolint:nilnil // nothing is new
	}
	if err = moved; err == nil {
		shop, err = v.config.openShopWith(settings, v.log)
	}
	if err != nil {
		for _, name := range names {
			delete(changed, name)
		}
		return nil, err
	}
	v.config.Adapter, v.opened = settings, append(v.opened, shop)
	return shop, nil
}

func (v *secretSource) complain(err error) {
	said := ""
	if err != nil {
		said = err.Error()
	}
	if said != v.said && said != "" {
		v.log.Warn("secrets cannot be read again, the old ones stay", "error", said)
	}
	v.said = said
}

// A secretFilter removes secrets from texts: each that was ever in use, or was tried, since a late answer may
// repeat it.
type secretFilter struct {
	mu     sync.Mutex
	values []string
	now    atomic.Pointer[strings.Replacer]
}

func (f *secretFilter) hide(value string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if value != "" && !slices.Contains(f.values, value) {
		f.values = append(f.values, value)
		f.now.Store(wire.Hider("[secret]", f.values...))
	}
}

// Replace returns the text without the secrets.
func (f *secretFilter) Replace(text string) string {
	if r := f.now.Load(); r != nil {
		return r.Replace(text)
	}
	return text
}
