package shopadapter

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/sethvargo/go-envconfig"
	"github.com/shopspring/decimal"
)

// A Factory makes one kind of adapter.
type Factory struct {
	Summary string // one line for `pubsync adapters`
	// Settings is a struct for SettingsOf, or nil. The connector refuses other PUBSYNC_<NAME>_… variables.
	Settings any
	// Drafts says that the adapter obeys Product.Draft and sets Listing.Draft; else PUBSYNC_PUBLISH_AS=draft is refused.
	Drafts bool
	// Open fills its settings by Options.Complete. It makes no request: the worker starts although a shop is down.
	Open func(Options) (Adapter, error)
}

// List returns the settings that the adapter reads.
func (f Factory) List() []Setting { return SettingsOf(f.Settings) }

// Faults returns the faults in the named adapter's settings, each a *Fault.
func (f Factory) Faults(name string, settings map[string]string) []error {
	if f.Settings == nil {
		return nil
	}
	return fill(name, reflect.New(reflect.TypeOf(f.Settings)).Interface(), settings)
}

func fill(name string, into any, settings map[string]string) []error {
	faults := Fill(into, "", envconfig.MapLookuper(settings))
	for _, err := range faults {
		if fault, ok := errors.AsType[*Fault](err); ok {
			fault.Variable = Variable(name, fault.Variable)
		}
	}
	return faults
}

var shared = []string{"PRICES", "IMAGE_HOSTS", "WEIGHT_UNIT", "DIMENSION_UNIT"}

// Variable returns a setting's environment variable: PUBSYNC_<ADAPTER>_<setting>, or PUBSYNC_SHOP_<setting> for
// PRICES, IMAGE_HOSTS, WEIGHT_UNIT and DIMENSION_UNIT. Hyphens become underscores.
func Variable(adapter, setting string) string {
	if slices.Contains(shared, setting) {
		adapter = "shop"
	}
	return "PUBSYNC_" + strings.ToUpper(strings.ReplaceAll(adapter, "-", "_")) + "_" + setting
}

// Options is what the caller gives an adapter.
type Options struct {
	Settings   map[string]string // by Setting.Name
	VATPercent string            // PUBSYNC_PRICE_VAT_PERCENT, for ChoosePrices; "" and 0: none
	// HTTPClient is for every request. It sends a User-Agent, bounds time, and follows no redirect, so that credentials
	// reach only the configured address.
	HTTPClient *http.Client
	Logger     *slog.Logger
}

// registry is written by init functions alone.
var registry = map[string]Factory{}

// Register adds an adapter under a lower-case name, from init. It panics on a duplicate or a nil Open.
func Register(name string, f Factory) {
	if f.Open == nil {
		panic("shopadapter: Register of " + name + " without Open")
	}
	if _, dup := registry[name]; dup {
		panic("shopadapter: Register called twice for " + name)
	}
	registry[name] = f
}

// Names returns the registered adapters, sorted.
func Names() []string { return slices.Sorted(maps.Keys(registry)) }

// Lookup finds a registered adapter.
func Lookup(name string) (Factory, bool) {
	f, ok := registry[name]
	return f, ok
}

// Open makes the named adapter, and completes its options.
func Open(name string, o Options) (Adapter, error) {
	f, ok := Lookup(name)
	if !ok {
		return nil, fmt.Errorf("no shop adapter %q: one of %v", name, Names())
	}
	adapter, err := f.Open(o.whole())
	if err != nil {
		return nil, err // an adapter beside an error may be a nil pointer
	}
	return adapter, nil
}

// Complete fills settings, a pointer to the Factory's struct, and sets HTTPClient and Logger. The error joins all
// faults; it names variables, not values.
func (o Options) Complete(name string, settings any) (Options, error) {
	return o.whole(), errors.Join(fill(name, settings, o.Settings)...)
}

func (o Options) whole() Options {
	client := *cmp.Or(o.HTTPClient, &http.Client{})
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client.Transport = cmp.Or[http.RoundTripper](client.Transport, http.DefaultTransport)
	o.HTTPClient, o.Logger = &client, cmp.Or(o.Logger, slog.New(slog.DiscardHandler))
	return o
}

// A Setting describes one environment variable of an adapter, see Variable.
type Setting struct {
	Name     string `json:"variable"` // upper case, for example TOKEN
	Default  string `json:"default"`
	Required bool   `json:"required"`
	Secret   bool   `json:"secret"`  // never printed; also read from the file that …_FILE names
	Meaning  string `json:"meaning"` // one line
}

// A Fault says what is wrong with an environment variable, without its value.
type Fault struct {
	Variable string
	Text     string
	Missing  bool
}

func (f *Fault) Error() string { return f.Variable + ": " + f.Text }

// SettingsOf lists a struct's settings in order. The tag env is go-envconfig's, with "required" or "default=";
// meaning is one line for people; secret:"true" marks a secret. See Fill for more tags.
func SettingsOf(settings any) (list []Setting) {
	if settings == nil {
		return nil
	}
	for _, field := range reflect.VisibleFields(reflect.TypeOf(settings)) {
		name, options, _ := strings.Cut(field.Tag.Get("env"), ",")
		options, value, _ := strings.Cut(options, "default=")
		list = append(list, Setting{
			Name: name, Default: value, Meaning: field.Tag.Get("meaning"),
			Required: strings.Contains(options, "required"), Secret: field.Tag.Get("secret") == "true",
		})
	}
	return list
}

// Fill fills a struct of settings, given as a pointer; an empty value is unset. It returns each *Fault with prefix
// before the name; a faulty field gets its default.
//
// The tag oneof lists words joined by commas. range is "1..64" for whole numbers and amounts, "0..50 %" for a
// percentage, "1s.." for a duration. form is a regular expression for the whole value, and the tag otherwise the
// fault's text. An EnvDecode must not echo the value; other types' errors show only the meaning.
func Fill(settings any, prefix string, from envconfig.Lookuper) (faults []error) {
	all := reflect.ValueOf(settings).Elem()
	for i, s := range SettingsOf(all.Interface()) {
		// envconfig ends at the first fault, so each field is a struct. It skips EnvDecode for "".
		field := all.Type().Field(i)
		fill := func(value string) error {
			one, set := reflect.New(reflect.StructOf([]reflect.StructField{field})), map[string]string{}
			if value != "" {
				set[s.Name] = value
			}
			err := envconfig.ProcessWith(context.Background(), &envconfig.Config{
				Target: one.Interface(), Lookuper: envconfig.MapLookuper(set), DefaultNoInit: true,
			})
			all.Field(i).Set(one.Elem().Field(0))
			return err
		}
		value, _ := from.Lookup(s.Name)
		fault := &Fault{Variable: prefix + s.Name, Text: unfit(field, value)}
		if fault.Text == "" {
			err := fill(value)
			_, decodes := reflect.New(field.Type).Interface().(envconfig.DecoderCtx)
			switch {
			case err == nil:
				continue
			case errors.Is(err, envconfig.ErrMissingRequired):
				fault.Text, fault.Missing = "is required: "+s.Meaning, true
			case decodes:
				fault.Text = strings.TrimPrefix(err.Error(), field.Name+": ")
			default:
				fault.Text = "is not good: " + s.Meaning
			}
		}
		all.Field(i).SetZero()
		_ = fill("") //nolint:errcheck // it is required
		faults = append(faults, fault)
	}
	return faults
}

// unfit returns a fault's text, "" for a good value.
func unfit(field reflect.StructField, value string) string {
	bounds, percent := strings.CutSuffix(field.Tag.Get("range"), " %")
	least, most, bounded := strings.Cut(bounds, "..")
	oneof, form := field.Tag.Get("oneof"), field.Tag.Get("form")
	words := strings.Split(oneof, ",")
	last := len(words) - 1
	switch {
	case value == "", slices.Contains(words, value):
		return ""
	case form != "" && !regexp.MustCompile("^(?:"+form+")$").MatchString(value):
		return field.Tag.Get("otherwise")
	case oneof != "" && last == 0:
		return "must be " + oneof
	case last > 0:
		return "must be " + strings.Join(words[:last], ", ") + " or " + words[last]
	case !bounded:
		return ""
	case field.Type == reflect.TypeFor[time.Duration]():
		shortest, _ := time.ParseDuration(least) //nolint:errcheck // a test reads every tag
		if d, err := time.ParseDuration(value); err != nil || d < shortest {
			return fmt.Sprintf("is not a span of at least %s such as 24h or 90m", least)
		}
		return ""
	}
	d, err := decimal.NewFromString(value)
	number := err == nil && len(value) <= 20 && d.Exponent() <= 6 // an exponent makes an endless number
	inside := number && d.GreaterThanOrEqual(decimal.RequireFromString(least)) &&
		d.LessThanOrEqual(decimal.RequireFromString(most))
	_, notWhole := strconv.Atoi(value)
	switch {
	case field.Type.Kind() == reflect.Int && (notWhole != nil || !inside):
		return fmt.Sprintf("is not a whole number from %s to %s", least, most)
	case !number:
		return "is not a number such as 12.5"
	case !inside && percent:
		return fmt.Sprintf("is not from %s to %s: it is a percentage, 21 means 21 %%", least, most)
	case !inside:
		return fmt.Sprintf("is not an amount from %s to %s", least, most)
	}
	return ""
}

// A URL is a shop's address: absolute, http(s), without query or fragment, since paths are added.
type URL string

// EnvDecode reads the setting.
func (u *URL) EnvDecode(_ context.Context, value string) error {
	*u = URL(value)
	at, err := url.Parse(value)
	switch {
	case err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Hostname() == "":
		return errors.New("must be an absolute http or https address, such as https://shop.example.com")
	case at.User != nil:
		return errors.New("must not contain a user name or password: credentials have settings of their own")
	case strings.ContainsAny(value, "?#"):
		return errors.New("must not contain a query or a fragment: paths are added to its end")
	}
	return nil
}

// A Token is a setting that is sent in a header: visible ASCII.
type Token string

// EnvDecode reads the setting.
func (t *Token) EnvDecode(_ context.Context, value string) error {
	*t = Token(value)
	if strings.ContainsFunc(value, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return errors.New("must consist of visible ASCII characters without spaces, since it is sent in a header")
	}
	return nil
}

// A Currency is a currency code in upper case.
type Currency string

// EnvDecode reads the setting.
func (c *Currency) EnvDecode(_ context.Context, value string) error {
	if *c = Currency(CurrencyCode(value)); *c == "" {
		return errors.New("must be a currency code of three letters, for example EUR")
	}
	return nil
}
