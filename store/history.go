package store

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// The history of a publication is in two places. The latest events are in its record, where they are
// settled with what they tell of. Older ones are in a fact of the publication's own: a record is
// read and written with each look, and one with all events has twice the size. A store that is
// copied carries its facts.

const (
	recentMost = 12 // events of a record, from which on the older half is put away
	recentKept = 6  // events of a record that stay then

	// RecentEvents bounds the events of a record of which nothing was put away.
	RecentEvents = 48
	// EventsKept is how many events of a publication are kept, beside one of each month before.
	EventsKept = 50

	monthsKept  = 60
	historySize = 48 << 10 // bytes of the fact: fifty events of as many variants as one tells of
)

// metaHistory begins the names of the facts with older events.
const metaHistory = "history/"

// PutAway has the older events of a publication kept beside its record, where there are many. It is
// called after a look has settled. Where the process ends on the way, they are in both places,
// which HistoryOf and the next call know.
func PutAway(ctx context.Context, s Store, r Record) error {
	if len(r.History) <= recentMost || len(metaHistory+r.ID) > MaxID {
		return nil
	}
	old := r.History[:len(r.History)-recentKept]
	kept, err := olderEvents(ctx, s, r.ID)
	if err != nil {
		return err
	}
	fact := packHistory(thin(joinEvents(kept, old)))
	if err := s.SetMeta(ctx, metaHistory+r.ID, fact); err != nil {
		return err
	}
	_, err = Update(ctx, s, func(_ *Report, w *Settlement) bool {
		before := len(w.Record.History)
		w.Record.History = slices.DeleteFunc(slices.Clone(w.Record.History), func(e Event) bool {
			return slices.Contains(old, e)
		})
		return len(w.Record.History) != before
	}, r.ID)
	return err
}

// HistoryOf is the whole history of a publication, the oldest event first.
func HistoryOf(ctx context.Context, s FactReader, r Record) ([]Event, error) {
	older, err := olderEvents(ctx, s, r.ID)
	return joinEvents(older, r.History), err
}

// ForgetHistory drops the older events of publications that are forgotten.
func ForgetHistory(ctx context.Context, s Facts, ids ...string) error {
	for _, id := range ids {
		if fact, err := s.Meta(ctx, metaHistory+id); err != nil || fact == "" {
			if err != nil {
				return err
			}
			continue
		}
		if err := s.SetMeta(ctx, metaHistory+id, ""); err != nil {
			return err
		}
	}
	return nil
}

func olderEvents(ctx context.Context, s FactReader, id string) ([]Event, error) {
	fact, err := s.Meta(ctx, metaHistory+id)
	if err != nil {
		return nil, err
	}
	events, err := unpackHistory(fact)
	if err != nil {
		return nil, fmt.Errorf("%w: history of %.80q: %w", ErrCorrupt, id, err)
	}
	return events, nil
}

// joinEvents is older and newer events in their order, each once.
func joinEvents(older, newer []Event) []Event {
	out := slices.Clone(older)
	for _, e := range newer {
		if !slices.Contains(older, e) {
			out = append(out, e)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].At < out[j].At })
	return out
}

// thin is the events that are kept: the last EventsKept, and of each month before one, its last
// price where it has any.
func thin(events []Event) []Event {
	old := events[:max(len(events)-EventsKept, 0)]
	var out []Event
	month := func(e Event) string { return e.At.Time().Format("2006-01") }
	for i, e := range old {
		last := len(out) - 1
		switch {
		case i == 0 || month(e) != month(out[last]):
			out = append(out, e)
		case e.Kind == EventPrice || out[last].Kind != EventPrice:
			out[last] = e
		}
	}
	out = out[max(len(out)-monthsKept, 0):]
	return append(out, events[len(old):]...)
}

const (
	eventEnd, fieldEnd = "\x1c", "\x1d" // a text has neither of them
	eventFields        = 7
	shortBase          = 36
)

// packHistory is the short form of events, as many of the last as fit.
func packHistory(events []Event) string {
	texts := strings.NewReplacer(eventEnd, " ", fieldEnd, " ")
	packed, size := make([]string, len(events)), 0
	first := len(events)
	for i, e := range slices.Backward(events) {
		number := func(n int64) string { return strconv.FormatInt(n, shortBase) }
		packed[i] = strings.Join([]string{
			number(int64(e.At)), number(int64(e.Kind)), number(int64(e.Why)), number(int64(e.More)),
			texts.Replace(e.By), texts.Replace(e.What), texts.Replace(e.Moved),
		}, fieldEnd)
		if size += len(packed[i]) + len(eventEnd); size > historySize {
			break
		}
		first = i
	}
	return strings.Join(packed[first:], eventEnd)
}

func unpackHistory(fact string) (events []Event, err error) {
	if fact == "" {
		return nil, nil
	}
	for packed := range strings.SplitSeq(fact, eventEnd) {
		fields := strings.Split(packed, fieldEnd)
		if len(fields) < eventFields {
			return nil, fmt.Errorf("an event has %d fields", len(fields))
		}
		var numbers [4]int64
		for i := range numbers {
			if numbers[i], err = strconv.ParseInt(fields[i], shortBase, 64); err != nil {
				return nil, err
			}
		}
		events = append(events, Event{
			At: Instant(numbers[0]), Kind: EventKind(numbers[1]), Why: Why(numbers[2]), More: int(numbers[3]),
			By: fields[4], What: fields[5], Moved: fields[6],
		})
	}
	return events, nil
}
