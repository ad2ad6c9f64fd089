package registration

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/connector/marketplace"
)

// A clerk registers webhooks, and names the events that it knows where it is asked for another.
type clerk struct{ registered []string }

func (c *clerk) RoundTrip(r *http.Request) (*http.Response, error) {
	var in struct {
		OperationName string
		Variables     struct{ In struct{ Events []string } }
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		return nil, err
	}
	body := `{"data":{"webhooks":{"nodes":[],"pageInfo":{"hasNextPage":false}}}}`
	switch events := in.Variables.In.Events; {
	case in.OperationName != "RegisterWebhook":
	case slices.Equal(events, []string{"PUBLICATION_CREATED"}):
		c.registered = events
		body = `{"data":{"webhookCreate":{"webhook":{"id":"w","active":true,"events":["PUBLICATION_CREATED"]}}}}`
	default:
		body = `{"data":{"webhookCreate":{"userErrors":[{"field":["events"],` +
			`"message":"Events must be one of PUBLICATION_CREATED, ORDER_CREATED"}]}}}`
	}
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
		Body: io.NopCloser(strings.NewReader(body)), Request: r,
	}, nil
}

// A refusal that names the events which the marketplace knows keeps none of these from being registered.
func TestARefusalThatNamesKnownEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &clerk{}
		market := marketplace.New(marketplace.Config{URL: "http://marketplace.example", Token: "t", Transport: c})
		events := []string{"PUBLICATION_CREATED", "PRODUCT_UPDATED"}
		f, err := Find(t.Context(), market, "https://hooks.shop.example/webhooks", events)
		if err == nil {
			err = f.ensure(t.Context(), market, "https://hooks.shop.example/webhooks")
		}
		if err != nil || !slices.Equal(c.registered, events[:1]) || !slices.Equal(f.Unknown, events[1:]) {
			t.Errorf("got %v registered, %v unknown, %v", c.registered, f.Unknown, err)
		}
	})
}

// However the marketplace spells an address, it is the same one.
func TestSameCallback(t *testing.T) {
	const ours = "https://hooks.shop.example/webhooks"
	for address, want := range map[string]bool{
		ours + "/": true, ours + "//": true, "HTTPS://Hooks.Shop.Example/webhooks": true,
		"https://hooks.shop.example.:443/webhooks": true, ours + "#top": true,
		"https://hooks.shop.example/Webhooks": false, "https://hooks.shop.example:8443/webhooks": false,
		"http://hooks.shop.example/webhooks": false, ours + "?a=b": false, ours + "/a": false,
		"https://shop.example/webhooks": false,
	} {
		if got := sameCallback(address, ours); got != want {
			t.Errorf("%s: got %t, want %t", address, got, want)
		}
	}
}
