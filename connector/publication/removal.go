package publication

import (
	"fmt"
	"time"

	"github.com/pubsync/pubsync/store"
)

// Absent records that an entry is gone from the list. The brake judges it where it is on sale; any
// other gets a look that clears it away. It reports whether there is something to write.
func Absent(s *store.Settlement, now time.Time) bool {
	r := &s.Record
	if r.Removal.Reason == store.RemovalAbsent || keepsOnSale(*r, store.RemovalAbsent) {
		return false // known, and perhaps held, or declined
	}
	if !r.OnSale {
		s.Next = &store.Mark{Class: store.ClassSweep, Cause: store.CauseRead, At: store.At(now)}
		return true
	}
	r.Removal = store.Removal{Reason: store.RemovalAbsent, At: store.At(now), Begun: r.Removal.Begun}
	judgeAnew(r)
	r.Problem, r.Holds = store.Problem{}, nil
	restate(r, r.State, now)
	return true
}

// Removals are the removals that the brake judges together. Entries that go one by one while a mass
// removal waits for a person are part of it.
type Removals struct {
	Found  []string // to be judged, with those that are held already
	OnSale int      // listings on sale, but for those in Recent
	Recent int      // done within store.RemovalWindow, or judged and about to be done
}

// Add counts one record that store.KeyLeaving finds. OnSale is all that are on sale before.
func (n *Removals) Add(r store.Record) {
	if r.Removal.Go {
		n.Recent++
		n.OnSale--
	} else {
		n.Found = append(n.Found, r.ID)
	}
}

// Judge is the brake's verdict on removals found together.
func (b Brake) Judge(n Removals) Verdict {
	return Verdict{
		Held: b.RemovesTooMuch(n.OnSale, n.Recent, len(n.Found)),
		Reason: fmt.Sprintf(
			"%d of %d products on sale would be taken out within a day", len(n.Found)+n.Recent, n.OnSale+n.Recent,
		),
	}
}

// A Verdict says whether removals are held, and why.
type Verdict struct {
	Held   bool
	Reason string
}

// Apply carries the verdict out on one record. It reports whether there is something to write. A
// held removal stays held until a person approves it, or the entry is listed again.
func (v Verdict) Apply(s *store.Settlement, now time.Time) bool {
	r := &s.Record
	switch {
	case r.Removal.Reason == "" || r.Removal.Done || r.Removal.Go:
		return false
	case len(r.Holds) > 0 && r.Holds[0].Kind == store.HoldRemoval:
		return false
	case !v.Held:
		letGo(s, now)
	default:
		judgeAnew(r)
		r.Holds = []store.Hold{{Kind: store.HoldRemoval, Reason: v.Reason, Since: store.At(now)}}
		recordHeld(r, nil, now)
	}
	restate(r, r.State, now)
	return true
}

// letGo has a removal carried out: a look reads the entry once more, and takes the listing out of
// sale where it is still gone.
func letGo(s *store.Settlement, now time.Time) {
	s.Record.Removal.Go = true
	judgeAnew(&s.Record)
	s.Record.Holds = nil
	s.Next = &store.Mark{Class: store.ClassSweep, Cause: store.CauseRead, At: store.At(now)}
}
