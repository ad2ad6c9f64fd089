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
	"github.com/pubsync/pubsync/connector"
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

// read reads the files again and returns the secrets that are new. An adapter that does not open with its new
// credentials is tried again with the next reading.
func (v *secretSource) read() connector.Secrets {
	v.mu.Lock()
	defer v.mu.Unlock()
	now, faults := v.env.Values()
	changed := map[string]string{}
	for name, value := range v.known {
		if now[name] != "" && now[name] != value {
			changed[name], v.known[name] = now[name], now[name]
			v.filter.hide(now[name])
		}
	}
	if len(changed) > 0 {
		v.log.Info("secrets read again", "changed", slices.Sorted(maps.Keys(changed)))
	}
	of := func(name string) string { return changed[config.Prefix+name] }
	set := connector.Secrets{
		MarketplaceToken: of("MARKETPLACE_TOKEN"), ClientSecret: of("OAUTH_CLIENT_SECRET"),
		WebhookSecret: of("WEBHOOK_SECRET"), PathToken: of("WEBHOOK_PATH_TOKEN"), AdminToken: of("ADMIN_TOKEN"),
	}
	if v.Values[config.Prefix+"WEBHOOK_SECRET"] == "" { // then the app's secret signs webhooks too
		set.WebhookSecret = set.ClientSecret
	}
	f, _ := shopadapter.Lookup(v.ShopAdapter)
	settings := maps.Clone(v.Adapter)
	for _, s := range f.List() {
		if value := v.known[shopadapter.Variable(v.ShopAdapter, s.Name)]; value != "" {
			settings[s.Name] = value
		}
	}
	if !maps.Equal(settings, v.Adapter) {
		shop, err := v.OpenShop(settings, v.log)
		if faults = append(faults, err); err == nil {
			set.Shop, v.Adapter, v.opened = shop, settings, append(v.opened, shop)
		}
	}
	said := exit.Text(errors.Join(faults...))
	if said != v.said && said != "" {
		v.log.Warn("secrets cannot be read again, the old ones stay", "error", said)
	}
	v.said = said
	return set
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
