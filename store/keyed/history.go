package keyed

import (
	"context"
	"encoding/binary"
	"slices"

	"github.com/pubsync/pubsync/store"
	"github.com/pubsync/pubsync/store/value"
)

// The last events of a publication are one value, which what happens to it adds to. Older ones move to a
// bucket of their own, an event each.
const (
	recentMost = 12 // events of that value, from which on the older half is moved
	recentKept = 6  // events of it that stay then
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

// addEvents adds events to the history of a publication. Where its last events have become many, the
// older ones move to the bucket of events, and what is there is thinned.
func addEvents(tx *Tx, id string, news []store.Event) error {
	if len(news) == 0 {
		return nil
	}
	recent, err := getRecent(tx, id)
	if err != nil {
		return err
	}
	for _, e := range news {
		if last := len(recent) - 1; last >= 0 && e.Repeats(recent[last]) {
			recent = recent[:last]
		}
		recent = append(recent, e)
	}
	if len(recent) > recentMost {
		n := len(recent) - recentKept
		if err := moveEvents(tx, id, recent[:n]); err != nil {
			return err
		}
		recent = recent[n:]
	}
	return putValue(tx, bucketRecent, id, recent)
}

func getRecent(tx *Tx, id string) (recent []store.Event, err error) {
	data, err := get(tx, bucketRecent, id)
	if data == nil || err != nil {
		return nil, err
	}
	return recent, value.Decode("history", id, data, &recent)
}

// moveEvents adds events to the bucket of events, and thins what is there.
func moveEvents(tx *Tx, id string, moved []store.Event) error {
	kept, events, err := getEvents(tx, id)
	if err != nil {
		return err
	}
	all := append(slices.Clone(events), moved...)
	stays := store.Thin(all)
	at, number := store.Instant(-1), byte(0)
	if last := len(events) - 1; last >= 0 {
		at, number = events[last].At, kept[last][len(kept[last])-1]
	}
	for i, e := range all {
		if i < len(events) {
			if !stays[i] {
				remove(tx, bucketEvent, kept[i])
			}
			continue
		}
		if number++; e.At != at {
			at, number = e.At, 0
		}
		if !stays[i] {
			continue
		}
		key := eventKey(id, at, number)
		data, err := value.Encode(key, e)
		if err != nil {
			return err
		}
		tx.Put(Key{bucketEvent, key}, data)
	}
	return nil
}

// getEvents is the events of a publication but for the last, and their keys.
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
	remove(tx, bucketRecent, id)
	keys, _, err := getEvents(tx, id)
	for _, key := range keys {
		remove(tx, bucketEvent, key)
	}
	return err
}

// History is the whole history of a publication, the oldest event first.
func (s *Store) History(ctx context.Context, id string) (events []store.Event, err error) {
	err = s.View(ctx, func(tx *Tx) error {
		recent, err := getRecent(tx, id)
		if err != nil {
			return err
		}
		_, events, err = getEvents(tx, id)
		events = append(events, recent...)
		return err
	})
	return events, err
}
