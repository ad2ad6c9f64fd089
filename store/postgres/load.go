package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
)

// A need is what a work reads.
type need struct {
	ids   []string // the publications whose marks are read
	bare  bool     // their records are not
	skus  []string // by store.SKUKey
	fact  string   // "": none
	facts func(have string)
}

const (
	selectRecords = `select key, id, version, known, data, report, seq from record where account = $1 and key = any($2)`
	selectMarks   = `select key, id, version, gen, data from mark where account = $1 and key = any($2)`
	selectSKUs    = `select key, sku, owner from sku where account = $1 and key = any($2)`
	selectFact    = `select data from fact where account = $1 and name = $2`
)

// load reads what a work needs, in one round trip.
func (s *Store) load(ctx context.Context, n need) (*work, error) {
	w, b := newWork(), &pgx.Batch{}
	for _, id := range n.ids {
		w.add(id)
	}
	if len(n.ids) > 0 {
		keys := keysOf(n.ids)
		if !n.bare {
			b.Queue(selectRecords, s.account, keys).Query(w.readRecords)
		}
		b.Queue(selectMarks, s.account, keys).Query(w.readMarks)
	}
	if len(n.skus) > 0 {
		for _, sku := range n.skus {
			if sku != "" && len(sku) <= store.MaxID {
				w.skus[sku] = &claim{}
			}
		}
		b.Queue(selectSKUs, s.account, keysOf(n.skus)).Query(func(rows pgx.Rows) error {
			return readSKUs(rows, func(sku string, by store.Owner) {
				if c := w.skus[sku]; c != nil {
					c.was, c.now = by, by
				}
			})
		})
	}
	if n.facts != nil {
		b.Queue(selectFact, s.account, key(n.fact)).Query(func(rows pgx.Rows) error {
			text, err := readFact(rows, n.fact)
			n.facts(text)
			return err
		})
	}
	if b.Len() == 0 {
		return w, nil
	}
	return w, s.db.send(ctx, b)
}

func (w *work) readRecords(rows pgx.Rows) error {
	var key, long, data, report []byte
	var version int64
	var known bool
	var seq *int64
	_, err := pgx.ForEachRow(rows, []any{&key, &long, &version, &known, &data, &report, &seq}, func() error {
		e := w.add(idOf(key, long))
		r := row{version: version, known: known}
		var err error
		if r.record, err = decodeRecord(e.id, data); err == nil && seq != nil {
			r.owed, err = decodeReport(e.id, report, *seq)
		}
		e.was, e.now = r, r
		return err
	})
	return err
}

func (w *work) readMarks(rows pgx.Rows) error {
	var key, long, data []byte
	var version, gen int64
	_, err := pgx.ForEachRow(rows, []any{&key, &long, &version, &gen, &data}, func() error {
		e := w.add(idOf(key, long))
		m, err := decodeMark(e.id, data, gen)
		e.mark, e.markWas = &m, version
		return err
	})
	return err
}

func readSKUs(rows pgx.Rows, each func(sku string, by store.Owner)) error {
	var key, long, owner []byte
	_, err := pgx.ForEachRow(rows, []any{&key, &long, &owner}, func() error {
		each(idOf(key, long), store.Owner(owner))
		return nil
	})
	return err
}

// readFact is the text of a fact, "" where there is none.
func readFact(rows pgx.Rows, name string) (text string, err error) {
	var data []byte
	_, err = pgx.ForEachRow(rows, []any{&data}, func() error {
		fact, err := value.Unseal("fact", name, data)
		text = string(fact)
		return err
	})
	return text, err
}

func decodeRecord(id string, data []byte) (store.Record, error) {
	r := store.Record{ID: id}
	err := value.Decode("record", id, data, &r)
	return r, err
}

// decodeReport reads a report, whose sequence is a column.
func decodeReport(id string, data []byte, seq int64) (*store.Report, error) {
	r := &store.Report{}
	err := value.Decode("report", id, data, r)
	r.ID, r.Seq = id, uint64(seq)
	return r, err
}

// decodeMark reads a mark, whose generation is a column.
func decodeMark(id string, data []byte, gen int64) (store.Mark, error) {
	m := store.Mark{}
	err := value.Decode("mark", id, data, &m)
	m.ID, m.Gen = id, uint64(gen)
	return m, err
}
