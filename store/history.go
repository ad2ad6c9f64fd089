package store

// EventsKept is how many events of a publication are kept, beside one of each month before.
const EventsKept = 50

// monthsKept is of how many months before one event is kept.
const monthsKept = 60

// Thin is which of some events in the order of time are kept: the last EventsKept, and of each month
// before one, its last price where it has any.
func Thin(events []Event) (kept []bool) {
	kept = make([]bool, len(events))
	months, last := 0, len(events)
	for i := len(events) - 1; i >= 0; i-- {
		e := events[i]
		switch {
		case i >= len(events)-EventsKept:
			kept[i] = true
		case last == len(events) || e.month() != events[last].month():
			if months++; months <= monthsKept {
				kept[i], last = true, i
			}
		case e.priced() && !events[last].priced():
			kept[i], kept[last], last = true, false, i
		}
	}
	return kept
}

func (e Event) month() string { return e.At.Time().Format("2006-01") }
