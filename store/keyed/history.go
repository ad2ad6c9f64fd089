package keyed

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
)

// The last events of a publication are in its record, where a look reads them and adds its own. The
// settlement moves older ones to a bucket of their own: a record with all of them has twice the size.
const (
	recentMost = 12 // events of a record, from which on the older half is moved
	recentKept = 6  // events of a record that stay then
)

// eventsOf begins the keys of a publication's events, and those of no other.
func eventsOf(id string) string {
	return string(binary.BigEndian.AppendUint16(nil, uint16(len(id)))) + id //nolint:gosec // an id has MaxID bytes at most
}

// eventKey sorts the events of a publication by time, and those of one time by their number.
func eventKey(id string, at store.Instant, n byte) string {
	key := binary.BigEndian.AppendUint64([]byte(eventsOf(id)), uint64(max(at, 0)))
	return string(append(key, n))
}

// moveEvents moves the older events of a record, where there are many, to the bucket of events, and
// thins what is there. Those that the record has for the first time stay in it.
func moveEvents(tx *Tx, old store.Record, r *store.Record) error {
	n := min(len(r.History)-recentKept, len(old.History))
	if len(r.History) <= recentMost || n <= 0 {
		return nil
	}
	moved := r.History[:n]
	r.History = slices.Clone(r.History[n:])
	kept, events, err := getEvents(tx, r.ID)
	if err != nil {
		return err
	}
	stay := store.Thin(append(slices.Clone(events), moved...))
	for i, e := range events {
		if !slices.Contains(stay, e) {
			remove(tx, bucketEvent, kept[i])
		}
	}
	at, number := store.Instant(-1), byte(0)
	if last := len(events) - 1; last >= 0 {
		at, number = events[last].At, kept[last][len(kept[last])-1]
	}
	for _, e := range moved {
		if number++; e.At != at {
			at, number = e.At, 0
		}
		if !slices.Contains(stay, e) {
			continue
		}
		key := eventKey(r.ID, at, number)
		data, err := value.Encode(key, e)
		if err != nil {
			return err
		}
		tx.Put(Key{bucketEvent, key}, data)
	}
	return nil
}

// getEvents is the events of a publication that are not in its record, and their keys.
func getEvents(tx *Tx, id string) (keys []string, events []store.Event, err error) {
	prefix := eventsOf(id)
	for p, err := range tx.Scan(bucketEvent, prefix, after(prefix)) {
		if err != nil {
			return nil, nil, err
		}
		var e store.Event
		if err := value.Decode("event", p.Key, p.Value, &e); err != nil {
			return nil, nil, err
		}
		keys, events = append(keys, p.Key), append(events, e)
	}
	return keys, events, nil
}

// forgetEvents drops the events of a publication.
func forgetEvents(tx *Tx, id string) error {
	keys, _, err := getEvents(tx, id)
	for _, key := range keys {
		remove(tx, bucketEvent, key)
	}
	return err
}

// History is the whole history of a publication, the oldest event first.
func (s *Store) History(ctx context.Context, id string) (events []store.Event, err error) {
	err = s.View(ctx, func(tx *Tx) error {
		r, _, err := getRecord(tx, id)
		if err != nil {
			return err
		}
		_, events, err = getEvents(tx, id)
		events = append(events, r.History...)
		return err
	})
	return events, err
}
