package store

import (
	"context"
	"slices"
	"strings"
)

// An Event is one line of a publication's history.
type Event struct {
	At      Instant  `cbor:"1,keyasint,omitempty"`
	What    string   `cbor:"2,keyasint,omitempty"` // what happened, in a word of the table below or in a sentence
	By      string   `cbor:"3,keyasint,omitempty"` // the person who asked, approved or declined
	Changes []Change `cbor:"4,keyasint,omitempty"`
	More    int      `cbor:"5,keyasint,omitempty"` // changes that were left out
}

// What an event with changes says.
const (
	WhatCreated  = "created"
	WhatUpdated  = "updated"
	WhatOffSale  = "off sale"
	WhatHeld     = "held"
	WhatApproved = "approved"
	WhatDeclined = "declined"
	WhatState    = "state"
)

// A Change is one changed field of a publication, or of one of its variants. Of long texts only
// the field is named.
type Change struct {
	Field   string `cbor:"1,keyasint,omitempty" json:"field"`
	Variant string `cbor:"2,keyasint,omitempty" json:"variant"` // its id; "": of the publication
	Name    string `cbor:"3,keyasint,omitempty" json:"variantTitle,omitempty"`
	Old     string `cbor:"4,keyasint,omitempty" json:"old"`
	New     string `cbor:"5,keyasint,omitempty" json:"new"`
	Why     string `cbor:"6,keyasint,omitempty" json:"why,omitempty"`
}

// failing begins what an event says of a transient error.
const failing = "transient: "

// Repeats reports whether an event says again what one before it says, so that only the later one
// is kept: the same sentence, or another try that failed. A change says something each time.
func (e Event) Repeats(before Event) bool {
	if len(e.Changes)+len(before.Changes) > 0 || e.By != before.By {
		return false
	}
	return e.What == before.What || strings.HasPrefix(e.What, failing) && strings.HasPrefix(before.What, failing)
}

// priced reports whether an event tells of a price.
func (e Event) priced() bool {
	return slices.ContainsFunc(e.Changes, func(c Change) bool { return c.Field == "price" })
}

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
	recent, err := getOr[[]Event](tx, bucketRecent, id)
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
		before, err := getOr[[]Event](tx, bucketEvent, id)
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

// History is the whole history of a publication, the oldest event first.
func (s Store) History(ctx context.Context, id string) (events []Event, err error) {
	err = s.View(ctx, func(tx *Tx) error {
		if events, err = getOr[[]Event](tx, bucketEvent, id); err != nil {
			return err
		}
		recent, err := getOr[[]Event](tx, bucketRecent, id)
		events = append(events, recent...)
		return err
	})
	return events, err
}
