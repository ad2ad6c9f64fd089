package marketplace_test

import (
	"context"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func TestEndpoint(t *testing.T) {
	for address, want := range map[string]string{
		"https://market.test":                 "https://market.test/v1/graphql",
		"https://market.test/":                "https://market.test/v1/graphql",
		"https://market.test/api":             "https://market.test/api/v1/graphql",
		"https://market.test/v1/graphql":      "https://market.test/v1/graphql",
		"https://market.test/v1/graphql/":     "https://market.test/v1/graphql",
		"https://market.test/graphql":         "https://market.test/graphql",
		"https://market.test/api/v1/graphql":  "https://market.test/api/v1/graphql",
		"https://market.test/mygraphql":       "https://market.test/mygraphql/v1/graphql",
		"https://graphql":                     "https://graphql/v1/graphql",
		"https://graphql/":                    "https://graphql/v1/graphql",
		"https://market.test/graphql/wrapper": "https://market.test/graphql/wrapper/v1/graphql",
	} {
		if got := marketplace.Endpoint(address); got != want {
			t.Errorf("Endpoint(%q) is %q, want %q", address, got, want)
		}
	}
}

// TestBothAddresses asks the sandbox at each address that a person may configure. It answers at its
// two endpoints alone.
func TestBothAddresses(t *testing.T) {
	t.Parallel()
	server := sandbox.Start(sandbox.Options{})
	t.Cleanup(server.Close)
	for _, address := range []string{
		server.URL, server.URL + "/", server.URL + "/v1/graphql", server.URL + "/graphql", server.URL + "/graphql/",
	} {
		c := marketplace.New(marketplace.Config{URL: address, Token: sandbox.DefaultToken, Languages: []string{"en"}})
		if _, err := c.TryList(context.Background()); err != nil {
			t.Errorf("at %s: %v", address, err)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
