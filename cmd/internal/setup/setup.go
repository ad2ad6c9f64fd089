// Package setup opens what a command works with, from its configuration: the store and its desk,
// the marketplace, the shop, and the worker that is made of them.
package setup

import (
	"errors"
	"fmt"
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

	engine  storeEngine         // of the store
	version string              // of this program
	sealed  string              // why the token of the installation cannot be used
	source  *config.Environment // what the secrets were read from; nil: nothing is read again
	slots   *semaphore.Weighted // for calls of the shops of all accounts; nil: there is one account
	filter  *secretFilter       // removes the secrets, those read later too, from what is printed
	held    func() bool         // whether the lease of the account is held; nil: there is none
}

// New reads the configuration for a program of this version. The settings without a fault can be
// used.
func New(e config.Environment, p config.Purpose, version string) (*Setup, []error) {
	c, faults := config.Load(e, p)
	s := &Setup{Config: c, version: version, source: &e, filter: newSecretFilter()}
	if err := s.useStore(); err != nil {
		faults = append(faults, err)
	}
	for _, v := range config.Variables() {
		if value := c.Values[v.Name]; v.Secret && value != "" {
			s.filter.hide(v.Name, value, true)
		}
	}
	if address := c.AlertMail.URL; address != nil {
		if password, ok := address.User.Password(); ok {
			s.filter.hide("password of PUBSYNC_ALERT_MAIL", password, true)
		}
	}
	return s, faults
}

// useStore finds the engine of the store. From then on StorePath is what a person is shown.
func (c *Setup) useStore() (err error) {
	variable, address := "STORE_PATH", c.StorePath
	if c.StoreURL != "" {
		variable, address = "STORE_URL", c.StoreURL
	}
	c.engine, err = engineOf(variable, address, c.Account)
	if err == nil && c.StoreURL != "" && c.engine.file {
		err = &shopadapter.Fault{
			Variable: config.Prefix + variable,
			Text:     "is no address of a database, which begins with postgres://; a file is named by PUBSYNC_STORE_PATH",
		}
	}
	if err != nil {
		c.engine.name = ""
	}
	c.StorePath = c.engine.name
	return err
}

// UseFile has the store be a file, whatever the configuration says.
func (c *Setup) UseFile(path string) {
	c.engine = fileEngine(path)
	c.StorePath = c.engine.name
}

func Load(e config.Environment, p config.Purpose, version string) (*Setup, error) {
	c, faults := New(e, p, version)
	if err := configured(errors.Join(faults...)); err != nil {
		return nil, err
	}
	return c, nil
}

func (c *Setup) Redact(text string) string { return c.filter.Replace(text) }

// NeverReread has the worker keep the secrets that it begins with.
func (c *Setup) NeverReread() { c.source = nil }

// Accounts returns the names of the accounts that an environment has. There is one, without a name,
// where it names no folder of accounts.
func Accounts(e config.Environment) ([]string, error) {
	if e.AccountsDir() == "" {
		return []string{""}, nil
	}
	files, err := filesOf(e)
	return slices.Sorted(maps.Keys(files)), err
}

// filesOf returns the file of each account, none where the folder cannot be used.
func filesOf(e config.Environment) (files map[string]string, err error) {
	if err = e.CheckAccounts(); err == nil {
		files, err = config.Accounts(e.AccountsDir())
	}
	return files, configured(err)
}

// configured gives a fault of the configuration its exit code.
func configured(err error) error {
	if err == nil {
		return nil
	}
	return &desk.Error{Exit: desk.ExitUsage, Err: fmt.Errorf("configuration:\n%w", err)}
}

// EnvironmentOf returns the environment of an account, by its name. An environment without a folder
// of accounts has the account "default" alone.
func EnvironmentOf(e config.Environment, name string) (config.Environment, error) {
	if e.AccountsDir() == "" {
		if name != "" && name != config.DefaultAccount {
			return e, exit.Usage("there is one account, %s: PUBSYNC_ACCOUNTS_DIR is not set", config.DefaultAccount)
		}
		return e, nil
	}
	files, err := filesOf(e)
	file, known := files[name]
	switch {
	case files == nil:
		return e, err
	case !known:
		return e, exit.Usage("there is no account of that name; there are: %s",
			strings.Join(slices.Sorted(maps.Keys(files)), ", "))
	}
	own, err := e.Account(name, file)
	return own, configured(err)
}
