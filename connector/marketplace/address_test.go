package marketplace_test

import (
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace"
)

func TestEndpoint(t *testing.T) {
	for address, want := range map[string]string{
		"https://market.test":                 "https://market.test/v1/graphql",
		"https://market.test/":                "https://market.test/v1/graphql",
		"https://market.test/v1/graphql":      "https://market.test/v1/graphql",
		"https://market.test/graphql":         "https://market.test/graphql",
		"https://market.test/mygraphql":       "https://market.test/mygraphql/v1/graphql",
		"https://graphql":                     "https://graphql/v1/graphql",
		"https://market.test/graphql/wrapper": "https://market.test/graphql/wrapper/v1/graphql",
	} {
		if got := marketplace.Endpoint(address); got != want {
			t.Errorf("Endpoint(%q) is %q, want %q", address, got, want)
		}
	}
}
