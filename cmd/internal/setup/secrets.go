package setup

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

const rereadEvery = 10 * time.Second

// renewed returns a Setup with other secrets once their files have some, nil when ctx has ended. A fault in
// any setting changes nothing.
func (c *Setup) renewed(ctx context.Context, log *slog.Logger) *Setup {
	for said := ""; ; {
		if engine.Sleep(ctx, rereadEvery); ctx.Err() != nil {
			return nil
		}
		next, err := c.reread(log)
		if next != nil {
			return next
		}
		text := exit.Text(err)
		if text != "" && text != said {
			log.Warn("secrets cannot be read again, the old ones stay", "error", text)
		}
		said = text
	}
}

// reread returns nil where no secret has changed.
func (c *Setup) reread(log *slog.Logger) (*Setup, error) {
	values, faults := c.env.Values()
	if len(faults) > 0 || maps.Equal(values, c.Values) {
		return nil, errors.Join(faults...)
	}
	next := *c
	next.sealed = ""
	if next.Config, faults = config.Load(c.env, config.ToRun); len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	next.nameStore()
	next.hideSecrets()
	log.Info("secrets read again, going on with them")
	return &next, nil
}

// hideSecrets has each of the secrets removed from texts.
func (c *Setup) hideSecrets() {
	for _, v := range config.Variables() {
		if v.Secret {
			c.filter.hide(c.Values[v.Name])
		}
	}
	if address := c.AlertMail.URL; address != nil {
		password, _ := address.User.Password()
		c.filter.hide(password)
	}
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
	if f == nil || f.now.Load() == nil {
		return text
	}
	return f.now.Load().Replace(text)
}
