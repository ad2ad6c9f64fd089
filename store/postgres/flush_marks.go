package postgres

import (
	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
)

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

// add adds the mark of an entry, with its times by a clock that is so far ahead.
func (c *marks) add(e *entry, ahead store.Instant) error {
	m := movedMark(*e.mark, ahead)
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
			err = inserted.add(e, w.ahead)
		default:
			err = updated.add(e, w.ahead)
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
