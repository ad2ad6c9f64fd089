package config

import (
	"errors"
	"maps"
	"slices"

	"github.com/sethvargo/go-envconfig"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
)

// Try returns the rules and the brakes of these settings, with others of prices and stock in the
// place of some; "" is the default. The configuration stays as it is. The error has every fault.
func (c *Config) Try(set map[string]string) (publication.Rules, publication.Brake, error) {
	t := &Config{Values: maps.Clone(c.Values)}
	for name, value := range set {
		if !slices.Contains(Figures(), name) {
			t.faults = append(t.faults, faultOf(name, "decides neither prices nor stock"))
		}
		if value == "" {
			delete(t.Values, name)
		} else {
			t.Values[name] = value
		}
	}
	values := envconfig.PrefixLookuper(Prefix, envconfig.MapLookuper(t.Values))
	t.faults = append(t.faults, shopadapter.Fill(&t.Settings, Prefix, values)...)
	t.check(ToLook)
	if err := errors.Join(t.faults...); err != nil {
		return publication.Rules{}, publication.Brake{}, err
	}
	t.makeRules()
	return t.Rules, t.Brake, nil
}

// FigureValues are the settings of prices and stock that are set.
func (c *Config) FigureValues() map[string]string {
	values := map[string]string{}
	for _, name := range Figures() {
		if value := c.Values[name]; value != "" {
			values[name] = value
		}
	}
	return values
}
