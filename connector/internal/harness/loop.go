package harness

import (
	"log/slog"

	"github.com/pubsync/pubsync/connector/breaker"
	"github.com/pubsync/pubsync/connector/health"
	"github.com/pubsync/pubsync/connector/publication"
)

// Settings are what decides about a publication, as a connector on this bench has them.
func (b *Bench) Settings() publication.Settings {
	o := b.Options()
	return publication.Settings{
		Rules: o.Rules, Brake: o.Brake, OnRemoved: o.OnRemoved,
		FailAfter: o.FailAfter, RefreshAfter: o.RefreshAfter,
	}
}

// Health is a Health of its own, for a loop that a test makes by itself.
func (b *Bench) Health() *health.Health {
	return health.New(slog.New(slog.DiscardHandler), func(s string) string { return s }, b.Store)
}

// Breaker is a Breaker of its own, for a loop that a test makes by itself.
func (b *Bench) Breaker(side breaker.Side) *breaker.Breaker {
	var none breaker.Waiters
	return breaker.New(breaker.Options{Side: side, Log: slog.New(slog.DiscardHandler), Most: none.MaxBackoff})
}
