package delivery

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

func product() shopadapter.Product {
	return shopadapter.Product{
		Returns: "true",
		Shipping: []shopadapter.Shipping{
			{CountryGroup: "NL", FixedCosts: "4.95", VariableCosts: "0.50", EstimatedDays: "3"},
			{CountryGroup: "BE & LU", EstimatedDays: "5"},
		},
	}
}

// The private form alone holds the supplier's charges.
func TestForms(t *testing.T) {
	p := product()
	for got, want := range map[string]string{
		Private(p): `{"shipping":[{"countryGroup":"NL","fixedCosts":"4.95","variableCosts":"0.50","estimatedDays":"3"},` +
			`{"countryGroup":"BE & LU","estimatedDays":"5"}],"returns":"true"}`,
		Public(p): `{"shipping":[{"countryGroup":"NL","estimatedDays":"3"},` +
			`{"countryGroup":"BE & LU","estimatedDays":"5"}],"returns":"true"}`,
		Public(shopadapter.Product{}): `{"shipping":[],"returns":""}`,
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if strings.Contains(Public(p), "4.95") {
		t.Error("the public form names what the supplier charges")
	}
}

func TestDigest(t *testing.T) {
	p, other := product(), product()
	other.Shipping[0].FixedCosts = "5.95"
	seen := map[string]string{}
	for name, d := range map[string]string{
		"hidden": Digest(p, Hidden), "shown": Digest(p, Shown),
		"other": Digest(other, Hidden), "off": Digest(p, Off),
	} {
		if before, twice := seen[d]; twice {
			t.Errorf("%s and %s look alike", name, before)
		}
		seen[d] = name
	}
	if Digest(p, Off) != "" || Digest(shopadapter.Product{}, Shown) != "" {
		t.Error("nothing has a digest")
	}
}

func TestAudience(t *testing.T) {
	for value, good := range map[string]bool{Off: true, Hidden: true, Shown: true, "": false, "yes": false} {
		if err := new(Audience).EnvDecode(t.Context(), value); (err == nil) != good {
			t.Errorf("%q: %v", value, err)
		}
	}
}
