// Package setup opens what a command works with: store and desk, marketplace, shop and worker.
package setup

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/engine"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// A Setup is the configuration of a command, and what it opens.
type Setup struct {
	*config.Config
	*secretFilter
	Pages map[string]http.Handler

	version string

	// with several accounts
	slots *semaphore.Weighted // for the calls of all shops
	held  func() bool         // whether the lease is held; nil: there is none
}

// New returns a Setup whose settings without a fault can be used.
func New(e config.Environment, p config.Purpose, version string) (*Setup, []error) {
	c, faults := config.Load(e, p)
	s := &Setup{Config: c, secretFilter: &secretFilter{}, version: version}
	s.hideSecrets()
	return s, faults
}

// Load is New with an error for faults.
func Load(e config.Environment, p config.Purpose, version string) (*Setup, error) {
	c, faults := New(e, p, version)
	if err := configured(errors.Join(faults...)); err != nil {
		return nil, err
	}
	return c, nil
}

// WarnOnce logs the configuration's warnings.
func (c *Setup) WarnOnce(log *slog.Logger) {
	for _, w := range c.Warnings {
		log.Warn("configuration", "warning", w)
	}
}

// Accounts is Environment.Accounts, but without any account the error has all faults of the process.
func Accounts(e config.Environment) ([]string, error) {
	names, err := e.Accounts()
	if len(names) == 0 && err != nil {
		_, faults := config.Load(e, config.ToServe)
		err = errors.Join(faults...)
	}
	return names, configured(err)
}

func configured(err error) error {
	if err == nil {
		return nil
	}
	return &desk.Error{Exit: desk.ExitUsage, Err: fmt.Errorf("configuration:\n%w", err)}
}

// EnvironmentOf returns the environment of the named account; "" means the only one.
func EnvironmentOf(e config.Environment, name string) (config.Environment, error) {
	names, err := Accounts(e)
	if name == "" && len(names) == 1 {
		name = names[0]
	}
	switch {
	case len(names) == 0 && err != nil:
		return e, err
	case len(names) == 0 && (name == "" || name == config.DefaultAccount):
		return e, nil
	case len(names) == 0:
		return e, exit.Usage("there is one account, %s: PUBSYNC_ACCOUNTS_DIR is not set", config.DefaultAccount)
	case name == "":
		return e, exit.Usage("which account? --account NAME, of: %s", strings.Join(names, ", "))
	case !slices.Contains(names, name):
		return e, exit.Usage("there is no account %s: --account NAME, of: %s", name, strings.Join(names, ", "))
	}
	own, err := e.Of(name)
	return own, configured(err)
}

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
	values, faults := c.Environment.Values()
	if len(faults) > 0 || maps.Equal(values, c.Values) {
		return nil, errors.Join(faults...)
	}
	next := *c
	if next.Config, faults = config.Load(c.Environment, config.ToRun); len(faults) > 0 {
		return nil, errors.Join(faults...)
	}
	next.hideSecrets()
	log.Info("secrets read again, going on with them")
	return &next, nil
}

// hideSecrets has each of the secrets removed from texts.
func (c *Setup) hideSecrets() {
	for _, v := range config.Variables() {
		if v.Secret {
			c.hide(c.Values[v.Name])
		}
	}
	if address := c.AlertMail.URL; address != nil {
		password, _ := address.User.Password()
		c.hide(password)
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

// Redact removes the secrets from a text.
func (f *secretFilter) Redact(text string) string {
	if f == nil || f.now.Load() == nil {
		return text
	}
	return f.now.Load().Replace(text)
}
