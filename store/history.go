package store

import (
	"context"
	"slices"
	"strings"
)

// An Event is one line of a publication's history.
type Event struct {
	At      Instant  `cbor:"1,keyasint,omitempty" json:"at"`
	What    string   `cbor:"2,keyasint,omitempty" json:"what"`         // one of the words below, or a sentence
	By      string   `cbor:"3,keyasint,omitempty" json:"by,omitempty"` // who asked, approved or declined
	Changes []Change `cbor:"4,keyasint,omitempty" json:"moves,omitempty"`
	More    int      `cbor:"5,keyasint,omitempty" json:"more,omitempty"` // changes that were left out
}

// The words of What, beside each Verdict.
const (
	WhatCreated = "created"
	WhatUpdated = "updated"
	WhatOffSale = "off sale"
	WhatHeld    = "held"
	WhatState   = "state"

	WhatFailed = "tried again: " // begins the text of a transient error
)

// A Change is a changed field of a publication or a variant. Long texts have no Old and New.
type Change struct {
	Field   string `cbor:"1,keyasint,omitempty" json:"field"`
	Variant string `cbor:"2,keyasint,omitempty" json:"variant"` // its id; "": of the publication
	Name    string `cbor:"3,keyasint,omitempty" json:"variantTitle,omitempty"`
	Old     string `cbor:"4,keyasint,omitempty" json:"old"`
	New     string `cbor:"5,keyasint,omitempty" json:"new"`
	Why     string `cbor:"6,keyasint,omitempty" json:"why,omitempty"`
}

const (
	eventsKept = 50
	monthsKept = 60
)

// repeats reports whether an event replaces the one before it. One with changes never does.
func (e Event) repeats(before Event) bool {
	if len(e.Changes)+len(before.Changes) > 0 || e.By != before.By {
		return false
	}
	return e.What == before.What || strings.HasPrefix(e.What, WhatFailed) && strings.HasPrefix(before.What, WhatFailed)
}

// thin keeps the last eventsKept, and the last price change of each of monthsKept months before them.
func thin(events []Event) (kept []Event) {
	month := ""
	for i, e := range slices.Backward(events) {
		of := e.At.Time().Format("2006-01")
		priced := slices.ContainsFunc(e.Changes, func(c Change) bool { return c.Field == "price" })
		if old := i < len(events)-eventsKept; old && (!priced || of == month) {
			continue
		} else if old {
			month = of
		}
		kept = append(kept, e)
	}
	slices.Reverse(kept)
	return kept[max(0, len(kept)-eventsKept-monthsKept):]
}

func addEvents(tx *Tx, id string, news []Event) {
	if len(news) == 0 {
		return
	}
	events := getOr[[]Event](tx, bucketEvent, id)
	for _, e := range news {
		if last := len(events) - 1; last >= 0 && e.repeats(events[last]) {
			events = events[:last]
		}
		events = append(events, e)
	}
	put(tx, bucketEvent, id, thin(events))
}

// History returns the kept events, the oldest first.
func (s Store) History(ctx context.Context, id string) ([]Event, error) {
	return view(ctx, s, func(tx *Tx) []Event { return getOr[[]Event](tx, bucketEvent, id) })
}
