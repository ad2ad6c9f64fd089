package connector

import (
	"context"
	"testing"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

// Short forms of what the tests ask a store's desk.

func Retry(s store.Store, id string, reset bool) error {
	_, err := NewDesk(s, publication.Rules{}, nil).Retry(context.Background(), id, reset)
	return err
}

func RetryFailed(s store.Store) (int, error) {
	a, err := NewDesk(s, publication.Rules{}, nil).RetryFailed(context.Background())
	return a.Count, err
}

func Approve(s store.Store, id string) error {
	_, err := NewDesk(s, publication.Rules{}, nil).Approve(context.Background(), id)
	return err
}

func ApproveAll(s store.Store, kind store.HoldKind) (int, error) {
	a, err := NewDesk(s, publication.Rules{}, nil).ApproveAll(context.Background(), kind)
	return a.Count, err
}

func Publications(s store.Store, state store.State, after string, limit int) (desk.List, error) {
	return NewDesk(
		s,
		publication.Rules{},
		nil,
	).Publications(context.Background(), desk.Query{State: state, After: after, Limit: limit})
}

func Explain(s store.Store, r publication.Rules, id string) (desk.Explanation, error) {
	return NewDesk(s, r, nil).Explain(context.Background(), id)
}

func StatusOf(s store.Store) (desk.Status, error) {
	return NewDesk(s, publication.Rules{}, nil).Status(context.Background())
}

func (c *Connector) Status() (desk.Status, error) { return c.Desk().Status(context.Background()) }

// lastSweeps are the last sweeps of both kinds, as status tells of them.
func lastSweeps(t *testing.T, c *Connector) (incremental, full desk.LastSweep) {
	t.Helper()
	s, err := c.Status()
	if err != nil {
		t.Fatal(err)
	}
	return s.Sweeps.Incremental, s.Sweeps.Full
}
