package postgres

import (
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
)

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
