package connector

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter"
)

// A panic says what it was given, a whole request perhaps: it is kept without secrets, on one line,
// and cut.
func TestPanicShowsNoSecret(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, sandbox.Options{})
		id := b.box.AddSound(1)[0]
		b.tune = func(o *Options) { o.Redact = strings.NewReplacer("t0ken", "[secret]").Replace }
		b.shop.onPublish = func(shopadapter.PublicationID) {
			panic("Authorization: Bearer t0\x1b\x00ken\n" + strings.Repeat("x", 10_000))
		}
		b.once(false)
		said := b.record(id).Problem.Message
		if !strings.HasPrefix(said, "internal error: Authorization: Bearer [secret] x") ||
			len(said) > 2*health.MaxMessage {
			t.Errorf("%q", said)
		}
	})
}
