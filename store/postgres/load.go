package postgres

import (
	"context"

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
	b := &batch{}
	w := s.queueLoad(b, n)
	if len(b.statements) == 0 {
		return w, nil
	}
	return w, s.db.send(ctx, b)
}

// queueLoad adds what reads what a work needs to a batch.
func (s *Store) queueLoad(b *batch, n need) *work {
	w := newWork()
	w.ahead = s.db.clock.ahead()
	for _, id := range n.ids {
		w.add(id)
	}
	if len(n.ids) > 0 {
		keys := keysOf(n.ids)
		if !n.bare {
			b.queue(selectRecords, s.account, keys).rows(w.readRecord)
		}
		b.queue(selectMarks, s.account, keys).rows(w.readMark)
	}
	if len(n.skus) > 0 {
		for _, sku := range n.skus {
			if sku != "" && len(sku) <= store.MaxID {
				w.skus[sku] = &claim{}
			}
		}
		b.queue(selectSKUs, s.account, keysOf(n.skus)).rows(w.readSKU)
	}
	if n.facts != nil {
		b.queue(selectFact, s.account, key(n.fact)).rows(func(r row) error {
			text, err := readFact(r, n.fact)
			n.facts(text)
			return err
		})
	}
	return w
}

func (w *work) readRecord(r row) error {
	var key, long, data, report []byte
	var version int64
	var known bool
	var seq *int64
	err := r.scan(&key, &long, &version, &known, &data, &report, &seq)
	if err != nil {
		return err
	}
	e := w.add(idOf(key, long))
	held := held{version: version, known: known}
	if held.record, err = decodeRecord(e.id, data); err == nil && seq != nil {
		held.owed, err = decodeReport(e.id, report, *seq)
	}
	e.was, e.now = held, held
	return err
}

func (w *work) readMark(r row) error {
	var key, long, data []byte
	var version, gen int64
	if err := r.scan(&key, &long, &version, &gen, &data); err != nil {
		return err
	}
	e := w.add(idOf(key, long))
	m, err := decodeMark(e.id, data, gen)
	m = movedMark(m, -w.ahead)
	e.mark, e.markWas = &m, version
	return err
}

func (w *work) readSKU(r row) error {
	var key, long, owner []byte
	err := r.scan(&key, &long, &owner)
	if c := w.skus[idOf(key, long)]; c != nil {
		c.was, c.now = store.Owner(owner), store.Owner(owner)
	}
	return err
}

// readFact is the text of a fact.
func readFact(r row, name string) (string, error) {
	var data []byte
	if err := r.scan(&data); err != nil {
		return "", err
	}
	fact, err := value.Unseal("fact", name, data)
	return string(fact), err
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
