// All content is read again: by a full run, by a resync, by its age.

package main_test

import (
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func TestAFullRunReadsEveryEntryAgainAndGoesOnWhereItStopped(t *testing.T) {
	long(t)
	t.Parallel()
	ends := map[string]func(*process) int{
		"interrupted": func(p *process) int { p.signal(sigint); return p.code(20 * time.Second) },
		"killed":      func(p *process) int { p.kill(); return -1 },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			// 260 entries are three pages, and the next page comes slowly.
			s := open(t, sandbox.Options{})
			ids := make([]string, 260)
			for i := range ids {
				l := lamp(i)
				l.Variants, l.Pictures = l.Variants[:1], nil
				ids[i] = s.add(l)
			}
			s.imported()
			for _, id := range ids[:30] {
				s.keepUpdated(id, "21.00")
			}
			s.market.Remove(ids[259])
			s.market.Forget()
			slow := sandbox.Fault{
				Kind:        sandbox.Slow,
				Delay:       1500 * time.Millisecond,
				Probability: 1,
				On:          []sandbox.Kind{sandbox.KindList},
			}
			s.market.Inject(slow)
			p := launch(t, s.dir, s.env, "run", "--once", "--full", "--json")
			listed := func() int {
				n := 0
				for _, r := range s.market.Requests() {
					if r.Kind == sandbox.KindList {
						n++
					}
				}
				return n
			}
			eventually(t, 15*time.Second, "the first page is listed and worked on",
				func() bool { return listed() >= 1 && len(s.contentReads()) > 40 })
			if code := end(p); code == 0 {
				t.Error("an interrupted run ended with 0")
			}
			s.market.Heal()
			first := s.contentReads()

			sum := s.imported("--full")
			again := 0
			for _, id := range ids[:259] {
				switch n := s.contentReads()[id]; {
				case n == 0:
					t.Fatalf("%s was not read", id)
				case n > 1:
					again++
				}
			}
			// What was under way at the end is read again, four at a time.
			if len(first) >= 259 || again > 8 {
				t.Errorf("%d of the %d that were read before the end were read again: it did not go on where it stopped", again,
					len(first))
			}
			for _, id := range ids[:30] {
				if got := s.prices(id)[0]; got != "21.00" {
					t.Errorf("%s costs %s", id, got)
				}
			}
			if s.shop.product(t, ids[259]).OnSale {
				t.Errorf("what was removed is on sale still: %+v", sum)
			}
			s.market.Forget()
			if sum := s.imported("--full"); len(s.contentReads()) != 259 || sum.Swept != 259 || sum.Updated != 0 {
				t.Errorf("another full run read %d: %+v", len(s.contentReads()), sum)
			}
		})
	}
}
