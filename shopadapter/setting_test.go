package shopadapter_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sethvargo/go-envconfig"

	"github.com/pubsync/pubsync/shopadapter"
)

type filled struct {
	Address  shopadapter.URL      `env:"ADDRESS, required" meaning:"where it is"`
	Currency shopadapter.Currency `env:"CURRENCY, default=eur" meaning:"the currency"`
	Pause    time.Duration        `env:"PAUSE, default=5s" meaning:"how long it waits"`
	Count    int                  `env:"COUNT, default=3" meaning:"how many there are"`
	Hosts    []string             `env:"HOSTS, default=a,b" meaning:"hosts, joined by commas"`
	Pairs    map[string]int       `env:"PAIRS" meaning:"names and numbers"`
	Token    string               `env:"TOKEN" secret:"true" meaning:"the token"`
}

// All faults are found at once, each names its variable, none shows a value, and what has one has
// its default.
func TestFill(t *testing.T) {
	var good filled
	set := map[string]string{
		"ADDRESS":  "https://shop.example",
		"CURRENCY": "usd",
		"COUNT":    "",
		"HOSTS":    "c",
		"TOKEN":    "t",
	}
	if faults := shopadapter.Fill(&good, "X_", envconfig.MapLookuper(set)); len(faults) > 0 {
		t.Errorf("faults in good values: got %v, want none", faults)
	}
	if good.Address != "https://shop.example" || good.Currency != "USD" || good.Pause != 5*time.Second ||
		good.Count != 3 ||
		!slices.Equal(good.Hosts, []string{"c"}) ||
		good.Pairs != nil ||
		good.Token != "t" {
		t.Errorf("filled: got %+v, want the values of the set", good)
	}

	var bad filled
	set = map[string]string{"CURRENCY": "s3ntinel", "PAUSE": "s3ntinel", "COUNT": "s3ntinel", "PAIRS": "a:1,s3ntinel"}
	faults := shopadapter.Fill(&bad, "X_", envconfig.MapLookuper(set))
	want := []string{
		"X_ADDRESS: is required: where it is", "X_CURRENCY: must be a currency code of three letters, for example EUR",
		"X_PAUSE: is not good: how long it waits", "X_COUNT: is not good: how many there are", "X_PAIRS: is not " +
			"good: names and numbers",
	}
	var got []string
	for _, fault := range faults {
		got = append(got, fault.Error())
	}
	if !slices.Equal(got, want) || strings.Contains(strings.Join(got, ""), "s3ntinel") {
		t.Errorf("faults: got %q, want %q", got, want)
	}
	if bad.Currency != "EUR" || bad.Pause != 5*time.Second || bad.Count != 3 || bad.Pairs != nil {
		t.Errorf("what has a fault: got %+v, want the defaults", bad)
	}
}

func TestSettingsOf(t *testing.T) {
	list := shopadapter.SettingsOf(filled{})
	if got := list[0]; got.Name != "ADDRESS" || got.Default != "" || got.Meaning != "where it is" || !got.Required ||
		got.Secret {
		t.Errorf("the first: got %+v, want ADDRESS, required", got)
	}
	if got := list[4]; got.Name != "HOSTS" || got.Default != "a,b" || got.Required {
		t.Errorf("the fifth: got %+v, want HOSTS with its default", got)
	}
	if !list[6].Secret || shopadapter.SettingsOf(nil) != nil {
		t.Errorf("the last: got %+v, want a secret", list[6])
	}
}
