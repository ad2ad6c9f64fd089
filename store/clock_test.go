package store

import (
	"context"
	"testing"
	"time"
)

// A process is one of several above the same contents, whose clock is so far behind theirs.
type process struct {
	*Memory
	behind time.Duration
}

func (p process) View(ctx context.Context, fn func(*Tx) error) error {
	return p.Memory.View(ctx, func(tx *Tx) error { tx.ahead = p.behind; return fn(tx) })
}

func (p process) Update(ctx context.Context, _ []Key, fn func(*Tx) error) error {
	return p.Memory.Update(ctx, nil, func(tx *Tx) error { tx.ahead = p.behind; return fn(tx) })
}

// A mark is due at the same moment for each process, whatever its clock shows.
func TestMarksOfProcessesWhoseClocksDiffer(t *testing.T) {
	t.Parallel()
	ctx, kv, now := t.Context(), NewMemory(), time.Now()
	right, slow := Store{process{kv, 0}}, Store{process{kv, time.Hour}}
	behind := now.Add(-time.Hour)
	if err := right.Mark(ctx, Mark{ID: "p", Class: ClassHook, At: At(now)}); err != nil {
		t.Fatal(err)
	}
	retry := At(behind.Add(10 * time.Minute))
	if err := slow.Mark(ctx, Mark{ID: "q", Class: ClassHook, At: retry}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		s    Store
		at   time.Time
		want int
		next Instant
	}{
		{"before the mark of another process", slow, behind.Add(-time.Minute), 0, At(behind)},
		{"a mark of another process", slow, behind, 1, retry},
		{"a retry, for another process, too early", right, now.Add(9 * time.Minute), 1, At(now.Add(10 * time.Minute))},
		{"a retry, for another process", right, now.Add(10 * time.Minute), 2, 0},
	} {
		q := DueQuery{Classes: AllClasses, To: At(tt.at)}
		due, next, err := tt.s.Due(ctx, q)
		if len(due) != tt.want || next != tt.next || err != nil {
			t.Errorf("%s: got %d due, the next at %d, %v, want %d and %d", tt.name, len(due), next, err, tt.want, tt.next)
		}
		backlog, err := tt.s.Backlog(ctx, q.To)
		if backlog.Due != tt.want || err != nil {
			t.Errorf("%s: got a backlog of %d, %v, want %d", tt.name, backlog.Due, err, tt.want)
		}
	}
	e, err := slow.Get(ctx, "q")
	if err != nil || e.Mark == nil || e.Mark.At != retry {
		t.Errorf("got %+v, %v, want the retry by the process's own clock", e.Mark, err)
	}
}
