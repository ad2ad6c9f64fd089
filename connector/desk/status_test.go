package desk

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/shopadapter/pace"
)

func TestStatusSaysWhatALongWaitIsFor(t *testing.T) {
	now := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	at := func(seconds int) time.Time { return now.Add(time.Duration(seconds) * time.Second) }
	until := at(40)
	for _, row := range []struct {
		name  string
		first *pace.Wait
		want  *pace.Wait
	}{
		{"nobody waits", nil, nil},
		{"a short wait", &pace.Wait{Cost: 344, Reason: pace.ForPoints, Since: at(-1), Until: at(6)}, nil},
		{
			"a long wait ahead", &pace.Wait{Cost: 344, Reason: pace.ForPoints, Since: at(-1), Until: until},
			&pace.Wait{Cost: 344, Reason: pace.ForPoints, Since: at(-1), Until: until},
		},
		{
			"a long wait behind", &pace.Wait{Cost: 344, Reason: pace.ForPause, Since: at(-60), Until: until},
			&pace.Wait{Cost: 344, Reason: pace.ForPause, Since: at(-60), Until: until},
		},
		{"for a request under way, short", &pace.Wait{Cost: 1, Reason: pace.ForAnswer, Since: at(-1)}, nil},
		{
			"for a request under way, long", &pace.Wait{Cost: 1, Reason: pace.ForAnswer, Since: at(-20)},
			&pace.Wait{Cost: 1, Reason: pace.ForAnswer, Since: at(-20)},
		},
	} {
		s := pace.Snapshot{Limit: 1000, Remaining: 5, RestoreRate: 50, Waiting: 3, First: row.first}
		want := Budget{Limit: 1000, Remaining: 5, RestoreRate: 50, Waiting: 3, First: row.want}
		if diff := cmp.Diff(want, BudgetOf(s, now)); diff != "" {
			t.Errorf("%s: %s", row.name, diff)
		}
	}
}
