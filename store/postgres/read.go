package postgres

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/pubsync/pubsync/store"
)

// read runs a query, again where its connection ended: the server was restarted, and what only
// reads may be asked twice.
func (s *Store) read(ctx context.Context, query func(ctx context.Context) error) error {
	if s.closed.Load() {
		return store.ErrClosed
	}
	if s.absent {
		return ctx.Err()
	}
	end, err := s.db.turn(ctx)
	if err != nil {
		return err
	}
	defer end()
	return repeatIf(ctx, func(err error) bool { return repeatable(err) || disconnected(err) }, query)
}

// Get is what the store holds of one publication.
func (s *Store) Get(ctx context.Context, id string) (found store.Entry, err error) {
	found.Record.ID = id
	err = s.read(ctx, func(ctx context.Context) error {
		w, err := s.load(ctx, need{ids: []string{id}})
		if err != nil {
			return err
		}
		e := w.add(id)
		found = store.Entry{Record: e.was.record, Known: e.was.known, Mark: e.mark, Owed: e.was.owed}
		return nil
	})
	return found, err
}

const (
	selectCounts = `select state, count(*) from record where account = $1 and known group by state`

	countDue = `
		select (select coalesce(sum(d.n), 0)::bigint from generate_series(0, $3::smallint - 1) as c(class)
				cross join lateral (select count(*) as n from mark where account = $1 and class = c.class and at <= $2) d)
			+ (select count(*) from mark where account = $1 and hint <= $2 and at > $2)`
	countOwed    = `select count(*) from record where account = $1 and seq is not null`
	countRefused = `select count(*) from record where account = $1 and seq is not null and refused`
	countRemoved = `select count(*) from removed where account = $1 and at >= $2`
	// selectRemoved is which removal is the first not to count any more.
	selectRemoved = `select min(at) from removed where account = $1 and at >= $2`
	countOnSale   = `select count(*) from record where account = $1 and known and on_sale`
)

// Counts is the number of publications in each state.
func (s *Store) Counts(ctx context.Context) (counts map[store.State]int, err error) {
	type states struct{}
	counts, err = ask(s, aboutPublications, states{}, 0, func() (
		counts map[store.State]int, until store.Instant, keep bool, err error,
	) {
		err = s.read(ctx, func(ctx context.Context) error {
			counts = map[store.State]int{}
			return s.db.query(ctx, func(r row) error {
				var state string
				var n int
				err := r.scan(&state, &n)
				counts[store.State(state)] = n
				return err
			}, selectCounts, s.account)
		})
		return counts, 0, true, err
	})
	return maps.Clone(counts), err
}

// Backlog counts what is due, owed and removed at a moment.
func (s *Store) Backlog(ctx context.Context, now store.Instant) (store.Backlog, error) {
	type backlog struct{ ever bool } // 0 is asked for where the moment does not matter
	return ask(s, aboutPublications, backlog{now == 0}, now, func() (
		f store.Backlog, until store.Instant, keep bool, err error,
	) {
		f, until, err = s.backlog(ctx, now)
		return f, until, true, err
	})
}

// backlog is Backlog, and when it is another one though nothing was written, 0 for never.
func (s *Store) backlog(ctx context.Context, now store.Instant) (f store.Backlog, until store.Instant, err error) {
	err = s.read(ctx, func(ctx context.Context) error {
		ahead := s.db.clock.ahead()
		var due, aged *int64
		b := &batch{}
		count := func(into *int, sql string, args ...any) {
			b.queue(sql, args...).rows(func(r row) error { return r.scan(into) })
		}
		day := column(now - store.Instant(store.RemovalWindow.Milliseconds()))
		count(&f.Due, countDue, s.account, column(moved(now, ahead)), int16(store.Classes))
		count(&f.Owed, countOwed, s.account)
		count(&f.Refused, countRefused, s.account)
		count(&f.Removed, countRemoved, s.account, day)
		count(&f.OnSale, countOnSale, s.account)
		classes, _, _ := beginnings(store.DueQuery{Classes: store.AllClasses})
		b.queue(selectNext, s.account, classes, column(moved(now, ahead)), [][]byte{}, int16(store.ClassHint)).
			rows(func(r row) error { return r.scan(&due) })
		b.queue(selectRemoved, s.account, day).rows(func(r row) error { return r.scan(&aged) })
		if err := s.db.send(ctx, b); err != nil {
			return err
		}
		if until = 0; due != nil {
			until = moved(store.Instant(*due), -ahead)
		}
		if aged != nil {
			end := store.Instant(*aged) + store.Instant(store.RemovalWindow.Milliseconds()) + 1
			until = min(end, cmp.Or(until, end))
		}
		return nil
	})
	return f, until, err
}

const selectKnown = `
	select key, id from record where account = $1 and known and key = any($2)
	union select key, id from record where account = $1 and known and product is not null and product = any($3)
	union select key, id from record where account = $1 and known and listing is not null and listing = any($4)`

// Resolve is the ids of the known publications among those given, and of those whose product or
// listing is named. Each comes once, in order.
func (s *Store) Resolve(ctx context.Context, publications, products, listings []string) (ids []string, err error) {
	err = s.read(ctx, func(ctx context.Context) error {
		ids = nil
		if len(publications)+len(products)+len(listings) == 0 {
			return nil
		}
		err := s.db.query(ctx, func(r row) error {
			var key, long []byte
			err := r.scan(&key, &long)
			ids = append(ids, idOf(key, long))
			return err
		}, selectKnown, s.account, keysOf(publications), allNamed(products), allNamed(listings))
		slices.Sort(ids)
		return err
	})
	return ids, err
}

// allNamed is the columns of some products or listings.
func allNamed(ids []string) [][]byte {
	all := make([][]byte, 0, len(ids))
	for _, id := range ids {
		if id != "" {
			all = append(all, named(id))
		}
	}
	return all
}

// Holders is who holds each of some SKUs, by [store.SKUKey]. One that is free is missing.
func (s *Store) Holders(ctx context.Context, keys ...string) (held map[string]store.Owner, err error) {
	err = s.read(ctx, func(ctx context.Context) error {
		w, err := s.load(ctx, need{skus: keys})
		if err == nil {
			held = w.holders()
		}
		return err
	})
	return held, err
}

const (
	selectOwed = `
		select key, id, report, seq from record where account = $1 and seq is not null and key > $2
		order by key limit $3`
	selectFresh = `
		select key, id, report, seq from record where account = $1 and seq is not null and not refused and key > $2
		order by key limit $3`
	selectRefused = `
		select key, id, report, seq from record where account = $1 and seq is not null and refused and key > $2
		order by key limit $3`
)

// Outbox is the owed reports that a query asks for, and the id to go on after.
func (s *Store) Outbox(ctx context.Context, q store.ReportQuery) (reports []store.Report, after string, err error) {
	most := q.Limit
	if most <= 0 {
		most = listSize
	}
	sql := map[store.Owed]string{
		store.AllOwed: selectOwed, store.OwedFresh: selectFresh, store.OwedRefused: selectRefused,
	}[q.Only]
	if q.After != "" {
		return s.outbox(ctx, q.After, sql, most)
	}
	type empty struct{ only store.Owed }
	_, err = ask(s, aboutPublications, empty{q.Only}, 0, func() (none bool, until store.Instant, keep bool, err error) {
		reports, after, err = s.outbox(ctx, "", sql, most)
		none = len(reports) == 0
		return none, 0, none, err
	})
	return reports, after, err
}

// outbox reads at most so many reports.
func (s *Store) outbox(ctx context.Context, begin, sql string, most int) (
	reports []store.Report, after string, err error,
) {
	err = s.read(ctx, func(ctx context.Context) error {
		reports, after = nil, ""
		return s.db.query(ctx, func(r row) error {
			if len(reports) == most {
				after = reports[most-1].ID
				return nil
			}
			var key, long, data []byte
			var seq int64
			if err := r.scan(&key, &long, &data, &seq); err != nil {
				return err
			}
			report, err := decodeReport(idOf(key, long), data, seq)
			reports = append(reports, *report)
			return err
		}, sql, s.account, key(begin), most+1)
	})
	return reports, after, err
}
