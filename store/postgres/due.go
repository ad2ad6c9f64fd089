package postgres

import (
	"context"

	"github.com/pubsync/pubsync/store"
)

const (
	// The classes come with the place in each to begin behind. A mark that an unsigned webhook
	// wants to be looked at comes for that too, in the class of such webhooks.
	selectDue = `
		with met as (
			select c.class, d.* from unnest($2::smallint[], $3::bigint[], $4::bytea[]) as c(class, at, key)
			cross join lateral (
				(select m.at, m.key, m.id, m.gen, m.cause, m.data from mark m
				where m.account = $1 and m.class = c.class and (m.at, m.key) > (c.at, c.key) and m.at <= $5
				and m.key <> all($6::bytea[]) and ($7::integer = 0 or m.cause & $7 <> 0)
				order by m.at, m.key limit $8::bigint)
				union all
				(select m.hint, m.key, m.id, m.gen, m.cause, m.data from mark m
				where c.class = $9::smallint and m.account = $1 and m.hint is not null and (m.hint, m.key) > (c.at, c.key)
				and m.hint <= $5 and m.key <> all($6::bytea[]) and ($7::integer = 0 or m.cause & $7 <> 0)
				order by m.hint, m.key limit $8::bigint)
			) d
		)
		select class, key, id, gen, data from met order by class, at, key limit $8::bigint`
	selectNext = `
		select min(d.at) from unnest($2::smallint[]) as c(class) cross join lateral (
			(select m.at from mark m where m.account = $1 and m.class = c.class and m.at > $3
			and m.key <> all($4::bytea[]) order by m.at, m.key limit 1)
			union all
			(select m.hint from mark m where c.class = $5::smallint and m.account = $1 and m.hint is not null
			and m.hint > $3 and m.key <> all($4::bytea[]) order by m.hint, m.key limit 1)
		) d`
)

// Due is the marks that a query asks for, in the order of work. A mark that is due for an unsigned
// webhook besides its own reason is returned for each, with ClassHint for the webhook. Where there
// are none, next is when the first becomes due after q.To, 0 for never.
func (s *Store) Due(ctx context.Context, q store.DueQuery) (due []store.Mark, next store.Instant, err error) {
	if len(q.Skip) > 0 || q.Behind != nil {
		return s.due(ctx, q)
	}
	type nothing struct {
		classes store.ClassSet
		causes  store.Cause
		among   int
		from    store.Instant
	}
	next, err = ask(s, aboutPublications, nothing{q.Classes, q.Causes, q.Among, q.From}, q.To,
		func() (next, until store.Instant, keep bool, err error) {
			due, next, err = s.due(ctx, q)
			return next, next, len(due) == 0, err
		})
	return due, next, err
}

func (s *Store) due(ctx context.Context, q store.DueQuery) (due []store.Mark, next store.Instant, err error) {
	ahead := s.db.clock.ahead()
	q.From, q.To = moved(q.From, ahead), moved(q.To, ahead)
	if q.Behind != nil {
		behind := movedMark(*q.Behind, ahead)
		q.Behind = &behind
	}
	classes, at, keys := beginnings(q)
	// Where only so many marks are read whatever their reasons, the reasons are looked at here.
	causes, among := int32(q.Causes), q.Causes != 0 && q.Among > 0
	most := q.Limit
	if among {
		causes, most = 0, q.Among
	}
	var limit any // null is none
	if most > 0 {
		limit = most
	}
	err = s.read(ctx, func(ctx context.Context) error {
		due, next = nil, 0
		b := &batch{}
		skip := keysOf(q.Skip)
		b.queue(selectDue, s.account, classes, at, keys, column(q.To), skip, causes, limit, int16(store.ClassHint)).
			rows(func(r row) error {
				var class int16
				var gen int64
				var key, long, data []byte
				if err := r.scan(&class, &key, &long, &gen, &data); err != nil {
					return err
				}
				m, err := decodeMark(idOf(key, long), data, gen)
				if full := q.Limit > 0 && len(due) == q.Limit; !full && (!among || m.Cause&q.Causes != 0) {
					due = append(due, movedMark(m, -ahead).As(store.Class(class)))
				}
				return err
			})
		b.queue(selectNext, s.account, classes, column(q.To), skip, int16(store.ClassHint)).
			rows(func(r row) error { return r.scan((*int64)(&next)) })
		return s.db.send(ctx, b)
	})
	return due, moved(next, -ahead), err
}

// beginnings is the classes that a query asks for, and the place in each to begin behind.
func beginnings(q store.DueQuery) (classes []int16, at []int64, keys [][]byte) {
	for class := range store.Classes {
		if !q.Classes.Has(class) || q.Behind != nil && class < q.Behind.Class {
			continue
		}
		from, behind := column(q.From), []byte{}
		if q.Behind != nil && class == q.Behind.Class && column(q.Behind.At) >= from {
			from, behind = column(q.Behind.At), key(q.Behind.ID)
		}
		classes, at, keys = append(classes, int16(class)), append(at, from), append(keys, behind)
	}
	return classes, at, keys
}
