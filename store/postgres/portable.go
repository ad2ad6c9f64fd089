package postgres

import (
	"context"
	"fmt"
	"iter"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
)

// portionSize is how many rows Export reads, and Import writes, at a time.
const portionSize = 500

// A portion reads some rows of one table, in the order of their keys.
type portion struct {
	sql  string
	item func(r row) (store.Item, error)
}

// portions are the tables in the order in which they are exported.
var portions = []portion{
	{`select name, data from fact where account = $1 and name > $2 order by name limit $3`, plainItem(store.ItemFact)},
	{
		`select key, id, known, data, report, seq from record where account = $1 and key > $2 order by key limit $3`,
		recordItem,
	},
	{`select key, id, data, gen from mark where account = $1 and key > $2 order by key limit $3`, markItem},
	{`select key, id, report, seq from record where account = $1 and seq is not null and key > $2
		order by key limit $3`, reportItem},
	{`select key, sku, owner from sku where account = $1 and key > $2 order by key limit $3`, skuItem},
	{
		`select name, data from cursor where account = $1 and name > $2 order by name limit $3`,
		plainItem(store.ItemCursor),
	},
	{`select key, id from seen where account = $1 and key > $2 order by key limit $3`, seenItem},
	{`select int8send(at) || key, id, key, at from removed where account = $1 and int8send(at) || key > $2
		order by at, key limit $3`, removedItem},
}

func plainItem(kind store.ItemKind) func(r row) (store.Item, error) {
	return func(r row) (i store.Item, err error) {
		i.Kind = kind
		err = r.scan(&i.Key, &i.Value)
		return i, err
	}
}

func recordItem(r row) (i store.Item, err error) {
	var key, long, report []byte
	var known bool
	var seq *int64
	err = r.scan(&key, &long, &known, &i.Value, &report, &seq)
	if i.Kind, i.Key = store.ItemRecord, idOf(key, long); !known {
		i.Kind = store.ItemLeft
	}
	return i, err
}

func markItem(r row) (i store.Item, err error) {
	var key, long, data []byte
	var gen int64
	if err := r.scan(&key, &long, &data, &gen); err != nil {
		return i, err
	}
	i.Kind, i.Key = store.ItemMark, idOf(key, long)
	m, err := decodeMark(i.Key, data, gen)
	if err == nil {
		i.Value, err = value.Encode(i.Key, m)
	}
	return i, err
}

func reportItem(r row) (i store.Item, err error) {
	var key, long, data []byte
	var seq int64
	if err := r.scan(&key, &long, &data, &seq); err != nil {
		return i, err
	}
	i.Kind, i.Key = store.ItemReport, idOf(key, long)
	report, err := decodeReport(i.Key, data, seq)
	if err == nil {
		i.Value, err = value.Encode(i.Key, *report)
	}
	return i, err
}

func skuItem(r row) (i store.Item, err error) {
	var key, long []byte
	err = r.scan(&key, &long, &i.Value)
	i.Kind, i.Key = store.ItemSKU, idOf(key, long)
	return i, err
}

func seenItem(r row) (i store.Item, err error) {
	var key, long []byte
	err = r.scan(&key, &long)
	i.Kind, i.Key = store.ItemSeen, idOf(key, long)
	return i, err
}

func removedItem(r row) (i store.Item, err error) {
	var place, key, long []byte
	var at int64
	err = r.scan(&place, &long, &key, &at)
	i.At = store.Instant(at)
	i.Kind, i.Key = store.ItemRemoved, idOf(key, long)
	return i, err
}

// snapshot begins a transaction that reads what there is at one moment, for as long as it takes. It
// locks nothing that a lease or a write waits for.
const snapshot = `
	begin isolation level repeatable read read only;
	set local statement_timeout = 0;
	set local idle_in_transaction_session_timeout = '10min'`

// Export ranges over all that the store holds, as it was at one moment.
func (s *Store) Export(ctx context.Context) iter.Seq2[store.Item, error] {
	return func(yield func(store.Item, error) bool) {
		stopped := false
		err := s.once(ctx, func(c *connection) error {
			if err := c.run(ctx, snapshot); err != nil {
				return err
			}
			for _, p := range portions {
				for after, more := []byte{}, true; more; {
					items, last, err := s.portion(ctx, c, p, after)
					if err != nil {
						return err
					}
					for _, item := range items {
						if stopped = !yield(item, nil); stopped {
							return c.run(ctx, "rollback")
						}
					}
					after, more = last, len(items) == portionSize
				}
			}
			return c.run(ctx, "commit")
		})
		if err != nil && !stopped {
			yield(store.Item{}, err)
		}
	}
}

// once runs a transaction that is not repeated.
func (s *Store) once(ctx context.Context, f func(c *connection) error) error {
	switch err := ctx.Err(); {
	case err != nil:
		return err
	case s.closed.Load():
		return store.ErrClosed
	case s.absent:
		return nil
	}
	err := s.db.with(ctx, f)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return translate(err)
}

// portion reads the rows of one table behind a key.
func (s *Store) portion(ctx context.Context, c *connection, p portion, after []byte) (
	items []store.Item, last []byte, err error,
) {
	b := &batch{}
	b.queue(p.sql, s.account, after, portionSize).rows(func(r row) error {
		item, err := p.item(r)
		item.Value = append([]byte(nil), item.Value...)
		items, last = append(items, item), append([]byte{}, r[0]...)
		return err
	})
	return items, last, c.send(ctx, b)
}

const (
	selectAny = `
		select exists (select from record where account = $1) or exists (select from mark where account = $1)
			or exists (select from sku where account = $1) or exists (select from cursor where account = $1)`
	raiseNumber = `select setval('number', greatest(nextval('number'), $1))`
)

// Import writes what another store exports into this one, which must be empty, in one transaction.
func (s *Store) Import(ctx context.Context, items iter.Seq2[store.Item, error]) error {
	if err := s.writable(); err != nil {
		return err
	}
	return s.once(ctx, func(c *connection) error {
		if err := c.run(ctx, "begin"); err != nil {
			return err
		}
		held, b := false, &batch{}
		b.queue(checkFence, s.account, s.lease.Fence)
		b.queue(selectAny, s.account).rows(func(r row) error { return r.scan(&held) })
		if err := c.send(ctx, b); err != nil {
			return err
		}
		if held {
			return store.ErrNotEmpty
		}
		i := importing{Store: s, c: c, work: newWork(), facts: &batch{}}
		for item, err := range items {
			if err != nil {
				return err
			}
			if err := i.add(item); err != nil {
				return err
			}
			if i.n++; i.n%portionSize == 0 {
				if err := i.flush(ctx); err != nil {
					return err
				}
			}
		}
		i.facts.queue(raiseNumber, i.highest)
		if err := i.flush(ctx); err != nil {
			return err
		}
		return c.run(ctx, "commit")
	})
}

// An importing store writes the items of another. A record comes before its report, which is a part
// of its row, so records wait for the reports.
type importing struct {
	*Store
	c       *connection
	work    *work
	facts   *batch
	n       int
	highest int64 // generation or sequence
}

func (i *importing) add(item store.Item) (err error) {
	e := i.work.add
	switch item.Kind {
	case store.ItemFact:
		_, err = value.Unseal("fact", item.Key, item.Value)
		i.facts.queue(upsertFact, i.account, key(item.Key), item.Value)
	case store.ItemRecord, store.ItemLeft:
		h := held{known: item.Kind == store.ItemRecord, data: item.Value}
		h.record, err = decodeRecord(item.Key, item.Value)
		entry := e(item.Key)
		entry.now, entry.written = h, true
	case store.ItemMark:
		var m store.Mark
		err = value.Decode("mark", item.Key, item.Value, &m)
		m.ID = item.Key
		e(item.Key).setMark(m)
		i.highest = max(i.highest, int64(m.Gen))
	case store.ItemReport:
		var r store.Report
		err = value.Decode("report", item.Key, item.Value, &r)
		r.ID = item.Key
		owed := r
		owed.Seq = 0 // a column
		data, failed := value.Encode(r.ID, owed)
		if err == nil {
			err = failed
		}
		i.highest = max(i.highest, int64(r.Seq))
		i.facts.queue(importReport, i.account, key(r.ID), data, int64(r.Seq), r.Refusals > 0)
	case store.ItemSKU:
		i.work.skus[item.Key] = &claim{now: store.Owner(item.Value)}
	case store.ItemCursor:
		var c store.Cursor
		err = value.Decode("cursor", item.Key, item.Value, &c)
		i.work.cursors[item.Key] = &c
	case store.ItemSeen:
		i.work.seen = append(i.work.seen, item.Key)
	case store.ItemRemoved:
		key, long := keyOf(item.Key)
		i.facts.queue(insertRemoved, i.account, column(item.At), key, long)
	default:
		err = fmt.Errorf("import store: an item of the kind %d", item.Kind)
	}
	return err
}

const importReport = `
	with written as (
		update record set report = $3, seq = $4, refused = $5 where account = $1 and key = $2 returning 1
	)
	select expect((select count(*) from written) = 1, 'PS003')`

// flush writes the items so far within the transaction.
func (i *importing) flush(ctx context.Context) error {
	b := &batch{}
	if err := i.queue(b, i.work); err != nil {
		return err
	}
	b.statements = append(b.statements, i.facts.statements...)
	i.work, i.facts = newWork(), &batch{}
	return i.c.send(ctx, b)
}

var _ store.Portable = (*Store)(nil)
