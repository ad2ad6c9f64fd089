package postgres

import (
	"context"
	"slices"
	"time"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
)

// write decides on a transaction and makes it: one round trip reads what is needed, and one writes.
// decide may run any number of times.
func (s *Store) write(ctx context.Context, n need, decide func(w *work) error) error {
	if err := s.writable(); err != nil {
		return err
	}
	began := time.Now()
	err := repeat(ctx, func(ctx context.Context) error {
		w, err := s.load(ctx, n)
		if err != nil {
			return err
		}
		if err := decide(w); err != nil {
			return err
		}
		b := &batch{}
		if err := s.queue(b, w); err != nil || len(b.statements) == 0 {
			return err
		}
		return s.commit(ctx, b)
	})
	if observe := s.observe.Load(); observe != nil && err == nil {
		(*observe)(1, time.Since(began))
	}
	return err
}

// commit runs statements in one transaction, provided that the lease is held until it ends.
func (s *Store) commit(ctx context.Context, b *batch) error {
	fenced := &batch{}
	if s.lease != nil {
		fenced.queue(checkFence, s.account, s.lease.Fence)
	}
	fenced.statements = append(fenced.statements, b.statements...)
	err := s.db.send(ctx, fenced)
	if codeOf(err) == codeFenced && s.lease != nil {
		s.lease.End()
	}
	return err
}

// queue adds what a work writes to a batch.
func (s *Store) queue(b *batch, w *work) error {
	slices.SortFunc(w.order, func(a, b *entry) int { return compareIDs(a.id, b.id) }) // the order of locks
	if err := s.queueRecords(b, w); err != nil {
		return err
	}
	if err := s.queueMarks(b, w); err != nil {
		return err
	}
	s.queueProperties(b, w)
	s.queueSKUs(b, w)
	if w.anew {
		b.queue(deleteSeen, s.account)
	}
	if len(w.seen) > 0 {
		keys, ids := make([][]byte, len(w.seen)), make([][]byte, len(w.seen))
		for i, id := range w.seen {
			keys[i], ids[i] = keyOf(id)
		}
		b.queue(insertSeen, s.account, keys, ids)
	}
	for _, r := range w.removed {
		b.queue(deleteRemoved, s.account, column(store.At(r.at.Time().Add(-removedKept))))
		key, long := keyOf(r.id)
		b.queue(insertRemoved, s.account, column(r.at), key, long)
	}
	for name, c := range w.cursors {
		if c == nil {
			b.queue(deleteCursor, s.account, key(name))
			continue
		}
		data, err := value.Encode(name, *c)
		if err != nil {
			return err
		}
		b.queue(upsertCursor, s.account, key(name), data)
	}
	return nil
}

func compareIDs(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	default:
		return 0
	}
}

const (
	insertRecords = `
		with given as (
			select nextval('number') as n, g.* from unnest($2::bytea[], $3::bytea[], $4::boolean[], $5::text[], $6::bigint[],
				$7::boolean[], $8::bytea[], $9::bytea[], $10::bytea[], $11::bytea[], $12::bigint[], $13::boolean[])
				as g(key, id, known, state, since, on_sale, product, listing, data, report, seq, refused)
		), written as (
			insert into record (account, key, id, version, known, state, since, on_sale, product, listing, data,
				report, seq, refused)
			select $1, key, id, n, known, state, since, on_sale, product, listing, data, report,
				case when report is not null then coalesce(nullif(seq, 0), n) end, refused
			from given on conflict do nothing returning 1
		)
		select expect((select count(*) from written) = cardinality($2::bytea[]), 'PS001')`

	updateRecords = `
		with given as (
			select nextval('number') as n, g.* from unnest($2::bytea[], $3::boolean[], $4::text[], $5::bigint[],
				$6::boolean[], $7::bytea[], $8::bytea[], $9::bytea[], $10::bytea[], $11::bigint[], $12::boolean[], $13::bigint[])
				as g(key, known, state, since, on_sale, product, listing, data, report, seq, refused, version)
		), written as (
			update record r set version = g.n, known = g.known, state = g.state, since = g.since, on_sale = g.on_sale,
				product = g.product, listing = g.listing, data = g.data, report = g.report,
				seq = case when g.report is not null then coalesce(nullif(g.seq, 0), g.n) end, refused = g.refused
			from given g where r.account = $1 and r.key = g.key and r.version = g.version returning 1
		)
		select expect((select count(*) from written) = cardinality($2::bytea[]), 'PS001')`

	deleteRecords = `
		with written as (
			delete from record r using unnest($2::bytea[], $3::bigint[]) as g(key, version)
			where r.account = $1 and r.key = g.key and r.version = g.version returning 1
		)
		select expect((select count(*) from written) = cardinality($2::bytea[]), 'PS001')`
)

// columns are those of some records.
type columns struct {
	keys, ids, products, listings, data, reports [][]byte
	known, onSale, refused                       []bool
	states                                       []string
	since, seq, versions                         []int64
}

func (c *columns) add(e *entry) error {
	r := e.now
	data := r.data
	if data == nil {
		var err error
		if data, err = value.Encode(e.id, r.record); err != nil {
			return err
		}
	}
	key, long := keyOf(e.id)
	c.keys, c.ids, c.data = append(c.keys, key), append(c.ids, long), append(c.data, data)
	c.known, c.versions = append(c.known, r.known), append(c.versions, e.was.version)
	var since int64
	if r.known {
		since = int64(store.Keys(r.record)[0].Since)
	}
	c.states, c.since = append(c.states, string(r.record.State)), append(c.since, since)
	c.onSale = append(c.onSale, r.record.OnSale)
	c.products = append(c.products, named(r.record.Product))
	c.listings = append(c.listings, named(r.record.Listing))
	var report []byte
	var err error
	var seq int64
	if r.owed != nil {
		if !r.newSeq {
			seq = int64(r.owed.Seq)
		}
		owed := *r.owed
		owed.Seq = 0 // a column
		if report, err = value.Encode(e.id, owed); err != nil {
			return err
		}
	}
	c.reports, c.seq = append(c.reports, report), append(c.seq, seq)
	c.refused = append(c.refused, r.owed != nil && r.owed.Refusals > 0)
	return nil
}

func (s *Store) queueRecords(b *batch, w *work) error {
	var inserted, updated, deleted columns
	for _, e := range w.order {
		var err error
		switch {
		case !e.written, !e.now.there() && e.was.version == 0:
		case e.was.version == 0:
			err = inserted.add(e)
		case e.now.there():
			err = updated.add(e)
		default:
			deleted.keys, deleted.versions = append(deleted.keys, key(e.id)), append(deleted.versions, e.was.version)
		}
		if err != nil {
			return err
		}
	}
	if c := inserted; len(c.keys) > 0 {
		b.queue(insertRecords, s.account, c.keys, c.ids, c.known, c.states, c.since, c.onSale, c.products, c.listings,
			c.data, c.reports, c.seq, c.refused)
	}
	if c := updated; len(c.keys) > 0 {
		b.queue(updateRecords, s.account, c.keys, c.known, c.states, c.since, c.onSale, c.products, c.listings, c.data,
			c.reports, c.seq, c.refused, c.versions)
	}
	if c := deleted; len(c.keys) > 0 {
		b.queue(deleteRecords, s.account, c.keys, c.versions)
	}
	return nil
}

const (
	insertMarks = `
		with given as (
			select nextval('number') as n, g.*
			from unnest($2::bytea[], $3::bytea[], $4::bigint[], $5::smallint[], $6::bigint[], $7::bigint[], $8::integer[],
				$9::bytea[]) as g(key, id, gen, class, at, hint, cause, data)
		), written as (
			insert into mark (account, key, id, version, gen, class, at, hint, cause, data)
			select $1, key, id, n, coalesce(nullif(gen, 0), n), class, at, nullif(hint, 0), cause, data
			from given on conflict do nothing returning 1
		)
		select expect((select count(*) from written) = cardinality($2::bytea[]), 'PS001')`

	updateMarks = `
		with given as (
			select nextval('number') as n, g.*
			from unnest($2::bytea[], $3::bigint[], $4::smallint[], $5::bigint[], $6::bigint[], $7::integer[], $8::bytea[],
				$9::bigint[]) as g(key, gen, class, at, hint, cause, data, version)
		), written as (
			update mark m set version = g.n, gen = coalesce(nullif(g.gen, 0), g.n), class = g.class, at = g.at,
				hint = nullif(g.hint, 0), cause = g.cause, data = g.data
			from given g where m.account = $1 and m.key = g.key and m.version = g.version returning 1
		)
		select expect((select count(*) from written) = cardinality($2::bytea[]), 'PS001')`

	deleteMarks = `
		with written as (
			delete from mark m using unnest($2::bytea[], $3::bigint[]) as g(key, version)
			where m.account = $1 and m.key = g.key and m.version = g.version returning 1
		)
		select expect((select count(*) from written) = cardinality($2::bytea[]), 'PS001')`
)

// marks are the columns of some marks.
type marks struct {
	keys, ids, data          [][]byte
	gens, at, hint, versions []int64
	classes                  []int16
	causes                   []int32
}

func (c *marks) add(e *entry) error {
	m := *e.mark
	var gen int64
	if !e.markNew {
		gen = int64(m.Gen)
	}
	m.Gen = 0 // a column
	data, err := value.Encode(e.id, m)
	if err != nil {
		return err
	}
	var hint int64
	if m.Hint != 0 {
		hint = max(column(m.Hint), 1)
	}
	key, long := keyOf(e.id)
	c.keys, c.ids, c.data = append(c.keys, key), append(c.ids, long), append(c.data, data)
	c.gens, c.versions = append(c.gens, gen), append(c.versions, e.markWas)
	c.at, c.hint = append(c.at, column(m.At)), append(c.hint, hint)
	c.classes, c.causes = append(c.classes, int16(m.Class)), append(c.causes, int32(m.Cause))
	return nil
}

func (s *Store) queueMarks(b *batch, w *work) error {
	var inserted, updated, deleted marks
	for _, e := range w.order {
		var err error
		switch {
		case !e.markMoved, e.mark == nil && e.markWas == 0:
		case e.mark == nil:
			deleted.keys, deleted.versions = append(deleted.keys, key(e.id)), append(deleted.versions, e.markWas)
		case e.markWas == 0:
			err = inserted.add(e)
		default:
			err = updated.add(e)
		}
		if err != nil {
			return err
		}
	}
	if c := inserted; len(c.keys) > 0 {
		b.queue(insertMarks, s.account, c.keys, c.ids, c.gens, c.classes, c.at, c.hint, c.causes, c.data)
	}
	if c := updated; len(c.keys) > 0 {
		b.queue(updateMarks, s.account, c.keys, c.gens, c.classes, c.at, c.hint, c.causes, c.data, c.versions)
	}
	if c := deleted; len(c.keys) > 0 {
		b.queue(deleteMarks, s.account, c.keys, c.versions)
	}
	return nil
}

const (
	insertProperties = `
		insert into property (account, name, since, key)
		select $1, g.* from unnest($2::text[], $3::bigint[], $4::bytea[]) as g(name, since, key) on conflict do nothing`
	deleteProperties = `
		delete from property p using unnest($2::text[], $3::bigint[], $4::bytea[]) as g(name, since, key)
		where p.account = $1 and p.name = g.name and p.since = g.since and p.key = g.key`
)

// properties are the keys of a record but for its state, which is a column of its own.
func properties(r held) []store.Indexed {
	if !r.known {
		return nil
	}
	return store.Keys(r.record)[1:]
}

// queueProperties brings the keys up to date. Most records keep theirs, and nothing is written.
func (s *Store) queueProperties(b *batch, w *work) {
	type names struct {
		names []string
		since []int64
		keys  [][]byte
	}
	var gone, come names
	add := func(c *names, k store.Indexed, id string) {
		c.names, c.since = append(c.names, k.Key.String()), append(c.since, int64(k.Since))
		c.keys = append(c.keys, key(id))
	}
	for _, e := range w.order {
		if !e.written {
			continue
		}
		had, has := properties(e.was), properties(e.now)
		for _, k := range had {
			if !slices.Contains(has, k) {
				add(&gone, k, e.id)
			}
		}
		for _, k := range has {
			if !slices.Contains(had, k) {
				add(&come, k, e.id)
			}
		}
	}
	if len(gone.keys) > 0 {
		b.queue(deleteProperties, s.account, gone.names, gone.since, gone.keys)
	}
	if len(come.keys) > 0 {
		b.queue(insertProperties, s.account, come.names, come.since, come.keys)
	}
}

const (
	insertSKUs = `
		with written as (
			insert into sku (account, key, sku, owner)
			select $1, g.* from unnest($2::bytea[], $3::bytea[], $4::bytea[]) as g(key, sku, owner)
			on conflict do nothing returning 1
		)
		select expect((select count(*) from written) = cardinality($2::bytea[]), 'PS001')`
	updateSKUs = `
		with written as (
			update sku s set owner = g.owner from unnest($2::bytea[], $3::bytea[], $4::bytea[]) as g(key, owner, before)
			where s.account = $1 and s.key = g.key and s.owner = g.before returning 1
		)
		select expect((select count(*) from written) = cardinality($2::bytea[]), 'PS001')`
	deleteSKUs = `
		delete from sku s using unnest($2::bytea[], $3::bytea[]) as g(key, owner)
		where s.account = $1 and s.key = g.key and s.owner = g.owner`

	insertSeen = `
		insert into seen (account, key, id) select $1, g.* from unnest($2::bytea[], $3::bytea[]) as g(key, id)
		on conflict do nothing`
	insertRemoved = `insert into removed (account, at, key, id) values ($1, $2, $3, $4) on conflict do nothing`
	deleteRemoved = `delete from removed where account = $1 and at < $2`
	deleteCursor  = `delete from cursor where account = $1 and name = $2`
	upsertCursor  = `
		insert into cursor (account, name, data) values ($1, $2, $3)
		on conflict (account, name) do update set data = excluded.data`
)

// removedKept is how long a removal is remembered: the brake looks back a day, and a clock may be
// set back.
const removedKept = 72 * time.Hour

// queueSKUs releases SKUs and claims others.
func (s *Store) queueSKUs(b *batch, w *work) {
	if len(w.freed) > 0 {
		var keys, owners [][]byte
		for _, r := range w.freed {
			keys, owners = append(keys, key(r.sku)), append(owners, []byte(r.by))
		}
		b.queue(deleteSKUs, s.account, keys, owners)
	}
	var fresh, freshLong, freshOwners, taken, takenOwners, before [][]byte
	for sku, c := range w.skus {
		switch key, long := keyOf(sku); {
		case c.was == c.now:
		case c.was == "":
			fresh, freshLong = append(fresh, key), append(freshLong, long)
			freshOwners = append(freshOwners, []byte(c.now))
		default:
			taken, takenOwners = append(taken, key), append(takenOwners, []byte(c.now))
			before = append(before, []byte(c.was))
		}
	}
	if len(fresh) > 0 {
		b.queue(insertSKUs, s.account, fresh, freshLong, freshOwners)
	}
	if len(taken) > 0 {
		b.queue(updateSKUs, s.account, taken, takenOwners, before)
	}
}
