package outbox

import (
	"context"
	"testing"
	"time"

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

// A report moves its entry to the end of the list. One that moved elsewhere is no echo: its content is read again.
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

// A glance that gets no points while those of the reports are held does not keep the reports.
func TestReportsOfAGlanceThatDoesNotEnd(t *testing.T) {
	t.Parallel()
	inBubble(t, gatherLeast, func(t *testing.T, r *rig) {
		for _, id := range r.ids {
			e, err := r.store.Get(id)
			if err != nil {
				t.Fatal(err)
			}
			e.Record.UpdatedAt = "2026-11-22T08:00:00.123Z" // parts of a second: else each is looked at anyway
			if _, err := r.store.Settle(store.Settlement{Record: e.Record}); err != nil {
				t.Fatal(err)
			}
		}
		glances := 0
		r.Gather(func(ctx context.Context, _ int) (string, error) {
			glances++
			<-ctx.Done()
			return "", ctx.Err()
		})
		r.Flush()
		r.run(t, time.Minute)
		if n := len(r.box.Reports()); n != gatherLeast || glances != 1 || r.owed(t).Owed != 0 {
			t.Errorf("made %d reports after %d glances, want %d after 1; %d are owed", n, glances, gatherLeast, r.owed(t).Owed)
		}
	})
}
