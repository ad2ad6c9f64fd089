package postgres

import (
	"context"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
)

// mostFact is how long a fact is at most that is kept in memory.
const mostFact = 256

// Meta is a small fact about the store as a whole, "" when it was never set.
func (s *Store) Meta(ctx context.Context, name string) (text string, err error) {
	return ask(s, aboutFacts, factOf{name}, 0, func() (text string, until store.Instant, keep bool, err error) {
		err = s.read(ctx, func(ctx context.Context) error {
			text = ""
			read := func(r row) (err error) { text, err = readFact(r, name); return err }
			return s.db.query(ctx, read, selectFact, s.account, key(name))
		})
		return text, 0, len(text) <= mostFact, err
	})
}

const (
	deleteFact = `delete from fact where account = $1 and name = $2`
	upsertFact = `
		insert into fact (account, name, data) values ($1, $2, $3)
		on conflict (account, name) do update set data = excluded.data`
	// claimFact leaves a fact that has another value as it is.
	claimFact = `
		with written as (
			insert into fact as f (account, name, data) values ($1, $2, $3)
			on conflict (account, name) do update set data = f.data where f.data = excluded.data returning 1
		)
		select expect(exists (select from written), 'PS001')`
)

// SetMeta sets a fact; "" removes it.
func (s *Store) SetMeta(ctx context.Context, name, text string) error {
	if err := s.writable(); err != nil {
		return err
	}
	if err := validID(name); err != nil {
		return err
	}
	statement, data := upsertFact, value.Seal(name, []byte(text))
	switch {
	case name == store.MetaAccount:
		statement = claimFact
	case text == "":
		statement = deleteFact
	}
	end, err := s.db.turn(ctx)
	if err != nil {
		return err
	}
	defer end()
	return repeat(ctx, func(ctx context.Context) error {
		b := &batch{}
		if name == store.MetaAccount {
			var have string
			n := need{fact: name, facts: func(text string) { have = text }}
			switch _, err := s.load(ctx, n); {
			case err != nil || have == text:
				return err
			case have != "":
				return &store.AccountError{Store: have, Token: text}
			}
		}
		if statement == deleteFact {
			b.queue(statement, s.account, key(name))
		} else {
			b.queue(statement, s.account, key(name), data)
		}
		return s.commit(ctx, b, func() { s.answers.forget(aboutFacts, factOf{name}) })
	})
}
