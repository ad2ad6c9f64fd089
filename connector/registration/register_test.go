package registration

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// Those of the events that no registration has are registered, and none twice.
func TestRegisterTheMissingEventsAlone(t *testing.T) {
	box := sandbox.New(sandbox.Options{})
	defer box.Close()
	market := marketplace.New(marketplace.Config{
		URL: "http://marketplace.example", Token: sandbox.DefaultToken, Languages: []string{"en"}, Transport: box.Transport(),
	})
	register := func(events ...string) []marketplace.Webhook {
		t.Helper()
		r, err := ensure(t.Context(), market, "https://hooks.shop.example/webhooks", nil, events)
		if err != nil {
			t.Fatal(err)
		}
		return r.Made
	}
	register("PUBLICATION_CREATED")
	if made := register("PRODUCT_UPDATED", "PUBLICATION_CREATED", "PRODUCT_DELETED"); len(made) != 1 ||
		strings.Join(made[0].Events, " ") != "PRODUCT_UPDATED PRODUCT_DELETED" {
		t.Errorf("got %+v registered, want one for PRODUCT_UPDATED and PRODUCT_DELETED", made)
	}
	if made := register("PRODUCT_UPDATED", "PUBLICATION_CREATED", "PRODUCT_DELETED"); len(made) > 0 {
		t.Errorf("once more: got %+v registered, want none", made)
	}
}
