package marketplace_test

import (
	"strings"
	"testing"

	"github.com/pubsync/pubsync/connector/marketplace"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// Where the schema is not shown, an objection to the method of pictures says what helps: another form where the
// method is a text, another method where it is a word that the marketplace does not have.
func TestAdviceOnTheMethodOfPictures(t *testing.T) {
	for want, o := range map[string]sandbox.Options{
		"set method=String in PUBSYNC_MARKETPLACE_FORMS": {
			NoIntrospection: true, Schema: [][2]string{{"method: ImageMethod", "method: String"}},
		},
		"set PUBSYNC_IMAGE_METHOD=original": {NoIntrospection: true},
	} {
		m := sandbox.New(o)
		defer m.Close()
		id := m.AddSound(1)[0]
		c := marketplace.New(marketplace.Config{
			URL: "http://market.test", Token: sandbox.DefaultToken, Languages: []string{"en"},
			Transport: m.Transport(), Pictures: marketplace.Picture{Method: "FIT"},
		})
		if _, err := c.TryContent(t.Context(), id); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q in it", err, want)
		}
	}
}
