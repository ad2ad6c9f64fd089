package connector_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
)

// A panic says what it was given, a whole request perhaps: it is kept without secrets, on one line,
// and cut.
func TestPanicShowsNoSecret(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		id := b.Market.AddSound(1)[0]
		b.Tune = func(o *connector.Options) { o.Redact = strings.NewReplacer("t0ken", "[secret]").Replace }
		b.Shop.OnPublish = func(shopadapter.PublicationID) {
			panic("Authorization: Bearer t0\x1b\x00ken\n" + strings.Repeat("x", 10_000))
		}
		b.Once(false)
		said := b.Record(id).Problem.Message
		if !strings.HasPrefix(said, "internal error: Authorization: Bearer [secret] x") ||
			len(said) > 2*health.MaxMessage {
			t.Errorf("%q", said)
		}
	})
}
