// A withdrawn publication is forgotten after its time.

package main_test

import (
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A removal is found by runs of cron alone, is forgotten after its time, beside a worker too, and
// published on the same product when it is listed again.
func TestARemovalIsFoundByCronAndForgotten(t *testing.T) {
	for _, name := range []string{"by cron", "beside a worker"} {
		t.Run(name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			s.set("RESYNC_SCHEDULE", "@every 1s")
			ids := s.lamps(3)
			s.imported()
			before := s.shop.product(t, ids[0])
			s.market.Remove(ids[0])
			eventually(t, 10*time.Second, "a run of cron takes it out", func() bool { return s.imported().Withdrawn == 1 })
			s.expectState(ids[0], "withdrawn")
			s.set("FORGET_AFTER", "1s")
			forgotten := func() bool { return len(s.lines("")) == 2 }
			if name == "by cron" {
				eventually(t, 10*time.Second, "a run forgets it", func() bool { s.imported(); return forgotten() })
			} else {
				s.work()
				eventually(t, 10*time.Second, "the worker forgets it", forgotten)
			}
			if r := s.call("explain", ids[0]); r.code == 0 {
				t.Errorf("explain knows what was forgotten:\n%s", r.stdout)
			}
			s.market.Restore(ids[0])
			s.imported()
			s.expectState(ids[0], "live")
			if after := s.shop.product(t, ids[0]); !after.onSale || after.shopID != before.shopID ||
				len(s.shop.holds()) != 3 {
				t.Errorf("listed again it is %+v, and was %+v; the shop holds %d", after, before, len(s.shop.holds()))
			}
		})
	}
}
