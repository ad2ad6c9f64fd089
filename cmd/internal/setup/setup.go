// Package setup opens what a command works with, from its configuration: the store and its desk,
// the marketplace, the shop, and the worker that is made of them.
package setup

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"golang.org/x/sync/semaphore"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/shopadapter"
)

// A Setup is the configuration of a command, and what is opened with it.
type Setup struct {
	*config.Config

	version string // of this program
	place   place  // of the store
	filter  secretFilter
	sealed  string              // why the token of the installation cannot be used
	source  *config.Environment // what the secrets were read from; nil: nothing is read again

	// where there are several accounts
	slots *semaphore.Weighted // for calls of the shops of all of them; nil: there is one
	held  func() bool         // whether the lease of the account is held; nil: there is none
}

// New reads the configuration. The settings without a fault can be used.
func New(e config.Environment, p config.Purpose, version string) (*Setup, []error) {
	c, faults := config.Load(e, p)
	s := &Setup{Config: c, version: version, source: &e}
	variable, address := config.Prefix+"STORE_PATH", c.StorePath
	if c.StoreURL != "" {
		variable, address = config.Prefix+"STORE_URL", c.StoreURL
	}
	var why string
	if s.place, why = placeOf(address, c.Account); why == "" && c.StoreURL != "" && s.place.file {
		why = "is no address of a database, which begins with postgres://; a file is named by PUBSYNC_STORE_PATH"
	}
	if why != "" {
		s.place, faults = place{}, append(faults, &shopadapter.Fault{Variable: variable, Text: why})
	}
	c.StorePath = s.place.name // from here on it is what a person is shown
	for _, v := range config.Variables() {
		if v.Secret {
			s.filter.hide(c.Values[v.Name])
		}
	}
	if address := c.AlertMail.URL; address != nil {
		password, _ := address.User.Password()
		s.filter.hide(password)
	}
	return s, faults
}

func Load(e config.Environment, p config.Purpose, version string) (*Setup, error) {
	c, faults := New(e, p, version)
	if err := configured(errors.Join(faults...)); err != nil {
		return nil, err
	}
	return c, nil
}

// Pretend is for what is made up: the store is a file, whatever the configuration says, no secret is read again,
// and no receiver of alerts is told.
func (c *Setup) Pretend(path string) {
	c.place, c.source = fileAt(path), nil
	c.StorePath = c.place.name
	c.AlertURL, c.AlertMail = config.Settings{}.AlertURL, config.Settings{}.AlertMail
}

func (c *Setup) Redact(text string) string { return c.filter.Replace(text) }

func (c *Setup) WarnOnce(log *slog.Logger) {
	for _, w := range c.Warnings {
		log.Warn("configuration", "warning", w)
	}
}

// Accounts returns the file of each account that an environment has, by its name; nil, without an error, where
// it names no folder of accounts. One without an account is an error.
func Accounts(e config.Environment) (files map[string]string, err error) {
	if e.AccountsDir() == "" {
		return files, err
	}
	if err = e.CheckAccounts(); err == nil {
		files, err = config.Accounts(e.AccountsDir())
	}
	if files == nil { // with the other faults of the process
		_, faults := config.Load(e, config.ToServe)
		err = cmp.Or(errors.Join(faults...), err)
	} else if err == nil && len(files) == 0 {
		return files, exit.Usage("there is no account: put a file NAME.env into the folder of PUBSYNC_ACCOUNTS_DIR")
	}
	return files, configured(err)
}

func configured(err error) error {
	if err == nil {
		return nil
	}
	return &desk.Error{Exit: desk.ExitUsage, Err: fmt.Errorf("configuration:\n%w", err)}
}

// EnvironmentOf returns the environment of an account: of the one with a name, or for "" the only one that
// there is. An environment without a folder of accounts has the account "default" alone.
func EnvironmentOf(e config.Environment, name string) (config.Environment, error) {
	files, err := Accounts(e)
	names := slices.Sorted(maps.Keys(files))
	if name == "" && len(names) == 1 {
		name = names[0]
	}
	switch file, known := files[name]; {
	case e.AccountsDir() == "" && (name == "" || name == config.DefaultAccount):
		return e, nil
	case e.AccountsDir() == "":
		return e, exit.Usage("there is one account, %s: PUBSYNC_ACCOUNTS_DIR is not set", config.DefaultAccount)
	case len(files) == 0:
		return e, err
	case !known:
		return e, exit.Usage("which account? --account NAME, of: %s", strings.Join(names, ", "))
	default:
		own, err := e.Account(name, file)
		return own, configured(err)
	}
}
