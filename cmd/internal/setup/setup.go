// Package setup opens what a command works with, from its configuration: the store and its desk,
// the marketplace, the shop, and the worker that is made of them.
package setup

import (
	"errors"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/shopadapter"
)

// A Setup is the configuration of a command, and what is opened with it.
type Setup struct {
	*config.Config

	engine  storeEngine         // of the store
	version string              // of this program
	sealed  string              // why the token of the installation cannot be used
	source  *config.Environment // what the secrets were read from; nil: nothing is read again
	shared  *Shared             // that accounts of this process share; nil: none
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
			s.filter.use(v.Name, value)
		}
	}
	if address := c.AlertMail.URL; address != nil {
		if password, ok := address.User.Password(); ok {
			s.filter.use("password of PUBSYNC_ALERT_MAIL", password)
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

// Load is New that returns all faults as one error.
func Load(e config.Environment, p config.Purpose, version string) (*Setup, error) {
	c, faults := New(e, p, version)
	if err := configured(errors.Join(faults...)); err != nil {
		return nil, err
	}
	return c, nil
}

// Redact returns the text without secrets.
func (c *Setup) Redact(text string) string { return c.filter.Replace(text) }

// NeverReread has the worker keep the secrets that it begins with.
func (c *Setup) NeverReread() { c.source = nil }
