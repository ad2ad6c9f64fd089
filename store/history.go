package store

import (
	"context"
	"slices"
)

// EventsKept is how many events of a publication are kept, beside one of each month before.
const EventsKept = 50

const (
	monthsKept = 60 // of so many months before one event is kept
	// The last events of a publication are one value, which each new one is added to. Where they
	// have become many the older ones move to another.
	recentMost = 12 // events of that value, from which on some are moved
	recentKept = 6  // events of it that stay then
)

// thin is those of some events in the order of time that are kept: the last EventsKept, and of each
// month before one, its last price where it has any.
func thin(events []Event) (kept []Event) {
	months, last := 0, -1
	for i, e := range slices.Backward(events) {
		switch {
		case i >= len(events)-EventsKept:
			kept = append(kept, e)
		case last < 0 || e.month() != events[last].month():
			if months++; months <= monthsKept {
				kept, last = append(kept, e), i
			}
		case e.priced() && !events[last].priced():
			kept[len(kept)-1], last = e, i
		}
	}
	slices.Reverse(kept)
	return kept
}

func (e Event) month() string { return e.At.Time().Format("2006-01") }

// addEvents adds events to the history of a publication.
func addEvents(tx *Tx, id string, news []Event) error {
	if len(news) == 0 {
		return nil
	}
	recent, err := getEvents(tx, bucketRecent, id)
	if err != nil {
		return err
	}
	for _, e := range news {
		if last := len(recent) - 1; last >= 0 && e.Repeats(recent[last]) {
			recent = recent[:last]
		}
		recent = append(recent, e)
	}
	if moved := len(recent) - recentKept; len(recent) > recentMost {
		before, err := getEvents(tx, bucketEvent, id)
		if err != nil {
			return err
		}
		if err := put(tx, bucketEvent, id, thin(append(before, recent[:moved]...))); err != nil {
			return err
		}
		recent = recent[moved:]
	}
	return put(tx, bucketRecent, id, recent)
}

func getEvents(tx *Tx, b Bucket, id string) ([]Event, error) {
	events, err := get[[]Event](tx, b, id)
	if events == nil {
		return nil, err
	}
	return *events, err
}

// History is the whole history of a publication, the oldest event first.
func (s Store) History(ctx context.Context, id string) (events []Event, err error) {
	err = s.View(ctx, func(tx *Tx) error {
		if events, err = getEvents(tx, bucketEvent, id); err != nil {
			return err
		}
		recent, err := getEvents(tx, bucketRecent, id)
		events = append(events, recent...)
		return err
	})
	return events, err
}
