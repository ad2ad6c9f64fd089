// status tells the true time of the next sweep.

package main_test

import (
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// status tells the true time of the next sweep: that of the schedule and the account's own offset,
// which a restart does not change.
func TestStatusTellsWhenTheNextSweepComes(t *testing.T) {
	s := open(t, sandbox.Options{Account: "acme"})
	s.lamps(1)
	s.imported() // so that the account is known
	offsets := map[time.Duration]bool{}
	for range 2 {
		w := s.work("SWEEP_SCHEDULE", "*/5 * * * *", "RESYNC_SCHEDULE", "@every 2h")
		var st struct {
			Sweeps struct{ Next, NextFull time.Time }
		}
		s.call("status", "--json").decode(t, &st)
		by := st.Sweeps.Next.Sub(st.Sweeps.Next.Truncate(5 * time.Minute))
		if ahead := time.Until(st.Sweeps.Next); by <= 0 || by > 30*time.Second || ahead < -time.Second ||
			ahead > 6*time.Minute {
			t.Errorf("the next sweep comes at %s", st.Sweeps.Next)
		}
		if ahead := time.Until(st.Sweeps.NextFull); ahead < 115*time.Minute || ahead > 121*time.Minute {
			t.Errorf("the next enumeration comes at %s", st.Sweeps.NextFull)
		}
		offsets[by] = true
		if r := s.call("status"); !strings.Contains(r.stdout, "next "+st.Sweeps.Next.Local().Format(time.DateTime)) {
			t.Errorf("status in text:\n%s", r.stdout)
		}
		w.stop()
	}
	if len(offsets) != 1 {
		t.Errorf("a restart changes the offset: %v", offsets)
	}
}
