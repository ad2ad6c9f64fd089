package postgres

import (
	"slices"
	"time"

	"github.com/pubsync/pubsync/store"
)

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
