package setup

import (
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/connector/secrets"
	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// A secretSource reads the secrets that lie in files of their own again while the worker runs. A file that cannot
// be read changes nothing. Other settings wait for the next start.
type secretSource struct {
	*Setup
	log *slog.Logger

	mu     sync.Mutex
	known  map[string]string // secret -> its value in use; one that was not set stays so
	said   string            // the last error that was logged
	opened []shopadapter.Adapter
}

// newSecretSource returns the source of a configuration's secrets, nil if none lies in a file.
func newSecretSource(c *Setup, log *slog.Logger) *secretSource {
	if !c.env.SecretFiles() {
		return nil
	}
	v := &secretSource{Setup: c, log: log, known: map[string]string{}}
	for _, s := range config.Variables() {
		// the receivers of alerts are those of the start
		if value := c.Values[s.Name]; s.Secret && value != "" && !strings.HasPrefix(s.Name, config.Prefix+"ALERT_") {
			v.known[s.Name] = value
		}
	}
	return v
}

// read reads the files again and returns the secrets that are new.
func (v *secretSource) read() secrets.Set {
	v.mu.Lock()
	defer v.mu.Unlock()
	now, faults := v.env.Values()
	changed := map[string]string{}
	for name, value := range v.known {
		if now[name] != "" && now[name] != value {
			changed[name] = now[name]
			v.filter.hide(now[name])
		}
	}
	shop, err := v.reopen(changed)
	said := exit.Text(errors.Join(append(faults, err)...))
	if said != v.said && said != "" {
		v.log.Warn("secrets cannot be read again, the old ones stay", "error", said)
	}
	v.said = said
	maps.Copy(v.known, changed)
	if len(changed) > 0 {
		v.log.Info("secrets read again", "changed", slices.Sorted(maps.Keys(changed)))
	}
	of := func(name string) string { return changed[config.Prefix+name] }
	hooks := of("WEBHOOK_SECRET")
	if v.Values[config.Prefix+"WEBHOOK_SECRET"] == "" { // then the app's secret signs webhooks too
		hooks = of("OAUTH_CLIENT_SECRET")
	}
	return secrets.Set{
		MarketplaceToken: of("MARKETPLACE_TOKEN"), WebhookSecret: hooks, ClientSecret: of("OAUTH_CLIENT_SECRET"),
		PathToken: of("WEBHOOK_PATH_TOKEN"), AdminToken: of("ADMIN_TOKEN"), Shop: shop,
	}
}

// reopen opens the shop's adapter with its new credentials, nil if they did not change. If it does
// not open, they are tried again later.
func (v *secretSource) reopen(changed map[string]string) (shopadapter.Adapter, error) {
	f, _ := shopadapter.Lookup(v.ShopAdapter)
	settings := maps.Clone(v.Adapter)
	var names []string
	for _, s := range f.List() {
		name := shopadapter.Variable(v.ShopAdapter, s.Name)
		if value := changed[name]; value != "" {
			settings[s.Name], names = value, append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, nil //nolint:nilnil // nothing is new
	}
	shop, err := v.OpenShop(settings, v.log)
	if err != nil {
		for _, name := range names {
			delete(changed, name)
		}
		return nil, err
	}
	v.Adapter, v.opened = settings, append(v.opened, shop)
	return shop, nil
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
