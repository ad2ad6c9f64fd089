package cmd

import (
	"errors"
	"fmt"
	"log/slog"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/connector/desk"
)

// A setup is the configuration of a command, and what is opened with it.
type setup struct {
	*config.Config

	sealed string              // why the token of the installation cannot be used
	source *config.Environment // what the secrets were read from; nil: nothing is read again
	filter *secretFilter       // takes the secrets, those read later too, out of what is said
}

// newSetup reads the configuration. A setting without a fault can be used, whichever others have
// one.
func newSetup(e config.Environment, p config.Purpose) (*setup, []error) {
	c, faults := config.Load(e, p)
	s := &setup{Config: c, source: &e, filter: newSecretFilter()}
	for _, v := range config.Variables() {
		if value := c.Values[v.Name]; v.Secret && value != "" {
			s.filter.use(v.Name, value)
		}
	}
	return s, faults
}

// load reads a configuration without faults. The error lists every one.
func load(e config.Environment, p config.Purpose) (*setup, error) {
	c, faults := newSetup(e, p)
	if err := errors.Join(faults...); err != nil {
		return nil, &exitError{code: desk.ExitUsage, err: fmt.Errorf("configuration:\n%w", err)}
	}
	return c, nil
}

// setup loads the configuration and logs its warnings, unless the command only looks: `status`
// would repeat them each time.
func (a *app) setup(p config.Purpose) (*setup, *slog.Logger, error) {
	c, err := load(a.env, p)
	if err != nil {
		return nil, nil, err
	}
	log := a.logger(c, c.LogLevel)
	if p == config.ToLook {
		return c, log, nil
	}
	for _, w := range c.Warnings {
		log.Warn("configuration", "warning", w)
	}
	return c, log, nil
}
