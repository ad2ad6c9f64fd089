package postgres

import (
	"context"

	"github.com/pubsync/pubsync/store"
)

// listSize is how many records are returned where the query does not say.
const listSize = 256

const (
	selectAll = `
		select key, id, 0::bigint, data from record where account = $1 and known and key > $2 order by key limit $3`
	selectUnseen = `
		select key, id, 0::bigint, data from record r where account = $1 and known and key > $2
		and not exists (select from seen s where s.account = $1 and s.key = r.key) order by key limit $3`
	selectState = `
		select key, id, since, data from record where account = $1 and known and state = $2
		and (since, key) > ($3, $4) and since <= $5 order by since, key limit $6`
	selectProperty = `
		select r.key, r.id, p.since, r.data from property p join record r on r.account = $1 and r.key = p.key
		where p.account = $1 and p.name = $2 and (p.since, p.key) > ($3, $4) and p.since <= $5
		order by p.since, p.key limit $6`
)

// states are the keys that are a column of the record.
var states = func() map[store.Key]store.State {
	all := map[store.Key]store.State{}
	for _, state := range store.States() {
		all[store.KeyState(state)] = state
	}
	return all
}()

// List is the records that a query asks for, and the place to go on after.
func (s *Store) List(ctx context.Context, q store.Query) (records []store.Record, after string, err error) {
	most := q.Limit
	if most <= 0 {
		most = listSize
	}
	err = s.read(ctx, func(ctx context.Context) error {
		records, after = make([]store.Record, 0, min(most, listSize)), ""
		last := ""
		return s.list(ctx, q, most+1, func(row row) error {
			if len(records) == most {
				after = last
				return nil
			}
			var key, long, data []byte
			var since int64
			if err := row.scan(&key, &long, &since, &data); err != nil {
				return err
			}
			r, err := decodeRecord(idOf(key, long), data)
			records = append(records, r)
			if last = r.ID; q.Key != (store.Key{}) {
				last = store.Indexed{Key: q.Key, Since: store.Instant(since)}.Place(r.ID)
			}
			return err
		})
	})
	return records, after, err
}

// list asks for the rows of a query.
func (s *Store) list(ctx context.Context, q store.Query, most int, each func(r row) error) error {
	if q.Key == (store.Key{}) {
		statement := selectAll
		if q.Unseen {
			statement = selectUnseen
		}
		return s.db.query(ctx, each, statement, s.account, key(q.After), most)
	}
	since, id := store.SplitPlace(q.First())
	to := column(q.To)
	if q.To == 0 {
		to = int64(store.Latest)
	}
	statement, name := selectProperty, q.Key.String()
	if state, ok := states[q.Key]; ok {
		statement, name = selectState, string(state)
	}
	return s.db.query(ctx, each, statement, s.account, name, int64(since), key(id), to, most)
}
