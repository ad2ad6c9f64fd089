package outbox

import (
	"testing"

	"github.com/pubsync/pubsync/store"
)

func TestPartsOfSeconds(t *testing.T) {
	t.Parallel()
	for updatedAt, want := range map[string]bool{
		"2026-11-22T08:00:00.123456Z": true, "2026-11-22T08:00:00.010Z": true, "2026-11-22T08:00:00.000001Z": true,
		"2026-11-22T08:00:00Z": false, "2026-11-22T08:00:00.000Z": false, "2026-11-22T08:00:00.5Z": false, "": false, "yesterday.": false,
	} {
		if got := partsOfSeconds(updatedAt); got != want {
			t.Errorf("%q: %t", updatedAt, got)
		}
	}
}

// What a report moved to another place than the end of the list is no echo that is known.
func TestFollows(t *testing.T) {
	t.Parallel()
	const earlier, later = "2026-11-22T08:00:00.123Z", "2026-11-22T08:00:00.123001Z"
	for _, tt := range []struct {
		updatedAt, latest string
		want              bool
	}{
		{later, earlier, true},
		{earlier, later, false},
		{earlier, earlier, false},
		{"2026-11-22T09:00:00.2+01:00", earlier, true},
		{later, "", true},
		{"soon", earlier, false},
		{later, "before", false},
	} {
		if got := follows(tt.updatedAt, tt.latest); got != tt.want {
			t.Errorf("%s after %s: %t", tt.updatedAt, tt.latest, got)
		}
	}
}

// The list shows what the last sweep saw, unless the content has been read since.
func TestMoment(t *testing.T) {
	t.Parallel()
	record := store.Record{UpdatedAt: "u", ReadAt: 1000}
	for name, tt := range map[string]struct {
		mark *store.Mark
		want string
	}{
		"not due":                {nil, "u"},
		"due for something else": {&store.Mark{Cause: store.CauseSigned}, "u"},
		"seen since":             {&store.Mark{Cause: store.CauseSeen, Seen: "v", SeenAt: 1001}, "v"},
		"seen in that moment":    {&store.Mark{Cause: store.CauseSeen, Seen: "v", SeenAt: 1000}, "v"},
		"seen before":            {&store.Mark{Cause: store.CauseSeen, Seen: "t", SeenAt: 999}, "u"},
	} {
		if got := moment(store.Entry{Record: record, Mark: tt.mark}); got != tt.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
