package store

// EventsKept is how many events of a publication are kept, beside one of each month before.
const EventsKept = 50

// monthsKept is of how many months before one event is kept.
const monthsKept = 60

// Thin is which of some events in the order of time are kept: the last EventsKept, and of each month
// before one, its last price where it has any.
func Thin(events []Event) []Event {
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
