// Webhooks lead to looks, not too often, and none is lost.

package main_test

import (
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func TestWebhooksLeadToLooksNotTooOftenAndNeverLost(t *testing.T) {
	t.Parallel()
	t.Run("signed", func(t *testing.T) {
		s := open(t, sandbox.Options{})
		s.lamps(1)
		w := s.work()
		w.settles(1)
		id := s.add(lamp(2))
		start := time.Now()
		w.hook("PUBLICATION_CREATED", created(id))
		eventually(t, 5*time.Second, "the first look", func() bool { return len(s.reported(id)) == 1 })
		s.keepUpdated(id, "21.00")
		w.hook("PUBLICATION_CREATED", created(id))
		throughout(t, 8*time.Second-time.Since(start), "one look in ten seconds",
			func() bool { return s.contentReads()[id] == 1 })
		eventually(t, 6*time.Second, "the second look", func() bool { return s.prices(id)[0] == "21.00" })
		if n := s.contentReads()[id]; n != 2 {
			t.Errorf("two webhooks led to %d looks", n)
		}
	})
	t.Run("what arrives during a look leads to another", func(t *testing.T) {
		s := open(t, sandbox.Options{})
		s.lamps(1)
		w := s.work()
		w.settles(1)
		id := s.add(lamp(2))
		hooked := make(chan struct{}, 1)
		s.shop.rules(func(request) reply {
			select {
			case hooked <- struct{}{}:
				s.keepUpdated(id, "21.00")
				w.hook("PUBLICATION_CREATED", created(id))
			default:
			}
			return reply{}
		})
		w.hook("PUBLICATION_CREATED", created(id))
		eventually(t, 15*time.Second, "the look after the look", func() bool {
			held, ok := s.shop.holds()[id]
			return ok && held.sent.Variants[0].Price == "21.00"
		})
	})
	t.Run("unsigned, a minute apart", func(t *testing.T) {
		s := open(t, sandbox.Options{})
		id := s.lamps(1)[0]
		w := s.work()
		w.settles(1)
		for range 3 {
			w.hint(created(id))
		}
		eventually(t, 5*time.Second, "the first look", func() bool { return s.contentReads()[id] == 2 })
		w.hint(created(id))
		throughout(t, 3*time.Second, "one look a minute", func() bool { return s.contentReads()[id] == 2 })
		// Where the webhook came before the first look was settled, its look is put off when the
		// points of that are paid off.
		eventually(t, 5*time.Second, "the next look is put off by a minute", func() bool {
			var list struct {
				Publications []struct {
					NextAttemptAt *time.Time
				}
			}
			w.get("/api/v1/publications", &list)
			next := list.Publications[0].NextAttemptAt
			return next != nil && time.Until(*next) <= time.Minute && time.Until(*next) >= 40*time.Second
		})
	})
	t.Run("unsigned ones together, a tenth of the rate", func(t *testing.T) {
		s := open(t, sandbox.Options{RestoreRate: 50})
		ids := s.lamps(6)
		w := s.work()
		w.settles(6)
		s.market.Forget()
		start := time.Now()
		for _, id := range ids {
			w.hint(created(id))
		}
		eventually(t, 5*time.Second, "one look is always allowed", func() bool { return len(s.contentReads()) >= 1 })
		// A tenth of 50 points a second pays for all looks but the last, which was allowed to
		// begin.
		var spent []int
		throughout(t, 6*time.Second, "10 % of the restore rate, and one look", func() bool {
			points := 0
			spent = nil
			for _, r := range s.market.Requests() {
				if r.Kind != sandbox.KindContent {
					continue
				}
				if allowed := 5 * r.At.Sub(start).Seconds(); float64(points) > allowed+1 {
					t.Errorf("after %s looks had cost %d points and another began, want no more than %.0f", r.At.Sub(start), points,
						allowed)
					return false
				}
				points += r.ActualCost
				spent = append(spent, r.ActualCost)
			}
			return true
		})
		if len(spent) < 2 {
			t.Errorf("looks cost %v: none followed the first", spent)
		}
	})
}

// keepUpdated changes the price without moving updatedAt.
func (s *site) keepUpdated(id, msrp string) {
	s.t.Helper()
	if err := s.market.SetPrice(id, "", "10.00", msrp, sandbox.KeepUpdatedAt); err != nil {
		s.t.Error(err)
	}
}
