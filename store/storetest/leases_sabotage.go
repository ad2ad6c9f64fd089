package storetest

import (
	"context"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store"
)

// leaseSaboteur is a database that breaks one law of leases, by what is set of it.
type leaseSaboteur struct {
	store.Leases
	claim   func(ctx context.Context, d store.Leases, owner string, accounts []string) ([]*store.Lease, error)
	renew   func(ctx context.Context, d store.Leases, leases []*store.Lease) error
	release func(leases []*store.Lease) error
	storeOf func(d store.Leases, l *store.Lease) store.Store
	accept  func() error
	leave   func() error
}

func (s leaseSaboteur) Claim(
	ctx context.Context, owner string, most int, accounts ...string,
) ([]*store.Lease, error) {
	if s.claim != nil {
		return s.claim(ctx, s.Leases, owner, accounts)
	}
	return s.Leases.Claim(ctx, owner, most, accounts...)
}

func (s leaseSaboteur) Renew(ctx context.Context, leases ...*store.Lease) error {
	if s.renew != nil {
		return s.renew(ctx, s.Leases, leases)
	}
	return s.Leases.Renew(ctx, leases...)
}

func (s leaseSaboteur) Release(ctx context.Context, leases ...*store.Lease) error {
	if s.release != nil {
		return s.release(leases)
	}
	return s.Leases.Release(ctx, leases...)
}

func (s leaseSaboteur) StoreOf(l *store.Lease) store.Store {
	if s.storeOf != nil {
		return s.storeOf(s.Leases, l)
	}
	return s.Leases.StoreOf(l)
}

func (s leaseSaboteur) Accept(ctx context.Context, account string, marks ...store.Mark) error {
	if s.accept != nil {
		return s.accept()
	}
	return s.Leases.Accept(ctx, account, marks...)
}

func (s leaseSaboteur) Leave(ctx context.Context, owner string) error {
	if s.leave != nil {
		return s.leave()
	}
	return s.Leases.Leave(ctx, owner)
}

// An unfenced store says that every mark was made.
type unfenced struct{ store.Store }

func (u unfenced) Mark(context.Context, ...store.Mark) error { return nil }

// leaseSaboteurs break the law of their name.
var leaseSaboteurs = map[string]leaseSaboteur{
	"One": {claim: func(_ context.Context, _ store.Leases, _ string, accounts []string) ([]*store.Lease, error) {
		return []*store.Lease{store.NewLease(accounts[0], 1, 1, time.Now(), long)}, nil
	}},
	"Expired":  {renew: func(context.Context, store.Leases, []*store.Lease) error { return nil }},
	"Released": {release: func([]*store.Lease) error { return nil }},
	"Fenced":   {storeOf: func(d store.Leases, l *store.Lease) store.Store { return unfenced{d.StoreOf(l)} }},
	"Accepted": {accept: func() error { return nil }},
	"Joined":   {leave: func() error { return nil }},
}

// SabotageLeases breaks every law of leases on an engine, and fails where the law's check does not
// find that.
func SabotageLeases(t *testing.T, open OpenLeases) {
	for _, law := range LeaseLaws() {
		t.Run(law.Name, func(t *testing.T) {
			s, ok := leaseSaboteurs[law.Name]
			if !ok {
				t.Fatal("nobody breaks this law: whether its check finds anything is not known")
			}
			broken := law.Check(t, func(t testing.TB, lease time.Duration) store.Leases {
				s.Leases = open(t, lease)
				return s
			})
			if broken == "" {
				t.Errorf("nobody noticed that this is broken: %s", law.Says)
			}
		})
	}
}
