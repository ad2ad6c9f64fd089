// Package config is the settings: what sets them, what a good value of each is, and what they need
// of one another. The struct Settings is the one list that the example file, the help and the check
// of unknown names come from.
package config

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sethvargo/go-envconfig"

	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/shopadapter"
	httpshop "github.com/pubsync/pubsync/shopadapter/http"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// A Config is the settings of one command.
type Config struct {
	Settings

	Files   []string // the env files
	Account string   // whose settings these are; "": there is one account, or they are the process's

	Rules   publication.Rules
	Brake   publication.Brake
	Adapter map[string]string // what is set of the chosen adapter's settings
	Values  map[string]string // every variable that is set, secrets from files among them
	Digests map[string]string // variable -> digest of its value, secrets left out
	RuleSet map[string]string // of Digests, those of prices and stock
	// Writes is the settings of the adapter that decide what is written, by variable.
	Writes   map[string]publication.Writing
	Warnings []string

	faults []error
}

// A Purpose is what a command does, and so which settings it needs.
type Purpose int

// The purposes.
const (
	ToLook    Purpose = iota // reads or changes the store, or asks a running worker
	ToConform                // asks the shop behind the http protocol, whatever adapter is chosen
	ToPlan                   // reads marketplace and shop
	ToRunOnce                // reads both and writes to both
	ToRun                    // as ToRunOnce, and serves webhooks
	ToDemo                   // brings its own marketplace and shop
	ToServe                  // serves several accounts, each of which has settings of its own
)

// Load reads the configuration and returns every fault. A fault names its variable and never shows
// the value. The settings without a fault can be used.
func Load(e Environment, p Purpose) (*Config, []error) {
	c := &Config{Account: e.account, Files: e.files, Adapter: map[string]string{}}
	c.Values, c.faults = e.Values()
	c.faults = append(c.faults, e.unknown()...)
	c.fill()
	if p == ToConform {
		c.ShopAdapter = httpshop.Name
	}
	c.warnOfRenamed(e)
	if scheme, path := SplitStore(c.StorePath); scheme == "" {
		c.StorePath = Absolute(path)
	}
	if c.AccountsDir != "" {
		c.AccountsDir = Absolute(c.AccountsDir)
	}
	c.check(p)
	if p != ToServe {
		c.checkApp(p)
		c.checkWebhook(p)
		c.checkAdapter(p)
		c.warnOfPlainHTTP()
	}
	c.makeRules()
	c.Writes = c.writes()
	c.digest()
	c.faults = append(e.located(withoutEchoes(c.faults)), e.misplaced()...)
	slices.SortFunc(c.faults, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return c, c.faults
}

// withoutEchoes leaves out that a secret is required whose file has a fault already.
func withoutEchoes(faults []error) []error {
	named := map[string]bool{}
	of := func(err error) (f *shopadapter.Fault) { _ = errors.As(err, &f); return f }
	for _, err := range faults {
		if f := of(err); f != nil {
			named[f.Variable] = true
		}
	}
	return slices.DeleteFunc(faults, func(err error) bool {
		f := of(err)
		return f != nil && f.Missing && named[f.Variable+fileForm]
	})
}

func (c *Config) fill() {
	from := envconfig.PrefixLookuper(Prefix, envconfig.MapLookuper(c.Values))
	c.faults = append(c.faults, shopadapter.Fill(&c.Settings, Prefix, from)...)
}

// Try returns the rules and the brakes of these settings, with others of prices and stock in the
// place of some; "" is the default. The configuration stays as it is. The error has every fault.
func (c *Config) Try(set map[string]string) (publication.Rules, publication.Brake, error) {
	t := &Config{Values: maps.Clone(c.Values)}
	for name, value := range set {
		if !slices.Contains(Figures(), name) {
			t.faults = append(t.faults, faultOf(name, "decides neither prices nor stock"))
		}
		t.Values[name] = value
	}
	t.fill()
	t.check(ToLook)
	t.makeRules()
	if err := errors.Join(t.faults...); err != nil {
		return publication.Rules{}, publication.Brake{}, err
	}
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

// digest makes the digests, and warns of secrets that are too short.
func (c *Config) digest() {
	c.Digests, c.RuleSet = map[string]string{}, map[string]string{}
	for _, v := range Variables() {
		switch value := c.Values[v.Name]; {
		case value == "" || v.Name == Prefix+"STORE_PATH" || v.Name == Prefix+"STORE_URL":
		case v.Secret && !wire.Hides(value):
			c.Warnings = append(c.Warnings, ShortSecret(v.Name))
		case v.Secret:
		default:
			c.Digests[v.Name] = Digest(value)
			if v.Rules == rulesOfFigures {
				c.RuleSet[v.Name] = Digest(value)
			}
		}
	}
}

// writes returns the settings of the adapter that decide what is written. One that is not set
// counts by its default.
func (c *Config) writes() map[string]publication.Writing {
	factory, ok := shopadapter.Lookup(c.ShopAdapter)
	if !ok {
		return nil
	}
	writes := map[string]publication.Writing{}
	for _, s := range factory.List() {
		if s.Writes == shopadapter.NoFields {
			continue
		}
		writes[shopadapter.Variable(c.ShopAdapter, s.Name)] = publication.Writing{
			Fields: s.Writes, Digest: Digest(cmp.Or(c.Adapter[s.Name], s.Default)),
		}
	}
	return writes
}

// ShortSecret is the warning of a secret that is too short.
func ShortSecret(name string) string {
	return name + " has fewer than eight characters: it is soon guessed, and it is not removed from messages that " +
		"repeat it"
}

// Digest returns a short hash of a value: equal values have equal digests.
func Digest(value string) string {
	sum := sha256.Sum256([]byte(value))
	return hex.EncodeToString(sum[:8])
}

// faultOf returns a fault of the variable with this full name.
func faultOf(variable, format string, args ...any) error {
	return &shopadapter.Fault{Variable: variable, Text: fmt.Sprintf(format, args...)}
}

func (c *Config) fault(name, format string, args ...any) {
	c.faults = append(c.faults, faultOf(Prefix+name, format, args...))
}

func (c *Config) warn(format string, args ...any) {
	c.Warnings = append(c.Warnings, fmt.Sprintf(format, args...))
}

// need adds a fault if a setting is not set.
func (c *Config) need(name, why string) {
	if c.Values[Prefix+name] == "" {
		c.faults = append(c.faults, &shopadapter.Fault{Variable: Prefix + name, Text: "is required: " + why, Missing: true})
	}
}
