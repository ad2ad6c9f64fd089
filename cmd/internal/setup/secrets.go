package setup

import (
	"cmp"
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

// A secretSource reads secrets from their files again while the worker runs. An unreadable file changes nothing.
type secretSource struct {
	*Setup
	log *slog.Logger

	mu     sync.Mutex
	known  map[string]string // every setting in use
	said   string            // the last logged error
	opened []shopadapter.Adapter
}

func secretsOf(values map[string]string) connector.Secrets {
	of := func(name string) string { return values[config.Prefix+name] }
	return connector.Secrets{
		MarketplaceToken: of("MARKETPLACE_TOKEN"), ClientSecret: of("OAUTH_CLIENT_SECRET"),
		WebhookSecret: cmp.Or(of("WEBHOOK_SECRET"), of("OAUTH_CLIENT_SECRET")),
		PathToken:     of("WEBHOOK_PATH_TOKEN"), AdminToken: of("ADMIN_TOKEN"),
	}
}

// read returns the secrets in use now. An adapter that does not open with new ones is tried at the next reading.
func (v *secretSource) read() connector.Secrets {
	v.mu.Lock()
	defer v.mu.Unlock()
	now, faults := v.env.Values()
	var changed []string
	for name, value := range now {
		// the receivers of alerts are those of the start
		if v.known[name] != value && !strings.HasPrefix(name, config.Prefix+"ALERT_") {
			changed, v.known[name] = append(changed, name), value
			v.filter.hide(value)
		}
	}
	if len(changed) > 0 {
		v.log.Info("secrets read again", "changed", changed)
	}
	set := secretsOf(v.known)
	if settings := config.SettingsOf(v.ShopAdapter, v.known); !maps.Equal(settings, v.Adapter) {
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

// A secretFilter removes every secret that was ever in use or tried: a late answer may repeat it.
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

// Replace removes the secrets.
func (f *secretFilter) Replace(text string) string {
	if r := f.now.Load(); r != nil {
		return r.Replace(text)
	}
	return text
}
