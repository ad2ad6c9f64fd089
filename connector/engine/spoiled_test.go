package engine_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/store"
)

// TestSpoiledEntriesStopNoImport lists entries without id, without updatedAt and null beside good
// ones: the good ones are imported. What has an id is
// not absent, and beside an entry without one nothing is.
func TestSpoiledEntriesStopNoImport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		f := b.Forge()
		ids := b.Market.AddSound(20)
		spoil := `{"id":null,"updatedAt":"2026-01-01T00:00:00Z","status":"syncing"},null,{"id":"nobody","updatedAt":null},`
		f.Change = func(operation, answer string) string {
			if operation != "List" {
				return answer
			}
			return strings.Replace(answer, `"nodes":[`, `"nodes":[`+spoil, 1)
		}
		if s := b.Once(true); s.Exit != desk.ExitOK || s.Created != 20 || s.Swept != 20 {
			t.Fatalf("got %+v, want Exit %v, Created 20 and Swept 20", s, desk.ExitOK)
		}
		if r := b.Entry("nobody").Record; r.State != "" {
			t.Errorf("an entry without updatedAt left %+v, want nothing", r)
		}

		b.Market.Remove(ids[0])
		plan, err := b.Connector().Plan(t.Context(), desk.RunOptions{Full: true, Patience: time.Minute})
		if err != nil || plan.Error != "" || len(plan.Withdraw) > 0 {
			t.Errorf("a plan would withdraw %v, %v %s, want nothing and no error", plan.Withdraw, err, plan.Error)
		}
		if s := b.Once(true); s.Exit != desk.ExitOK || s.Withdrawn != 0 || b.State(ids[0]) != store.StateLive {
			t.Errorf(
				"beside entries without an id %s is %s: got %+v, want Exit %v, Withdrawn 0 and state %v",
				ids[0],
				b.State(ids[0]),
				s,
				desk.ExitOK,
				store.StateLive,
			)
		}

		spoil = `{"id":"nobody","updatedAt":null},{"id":"` + ids[1] + `"},`
		b.Market.Remove(ids[1])
		if s := b.Once(true); s.Exit != desk.ExitOK || s.Withdrawn != 1 {
			t.Errorf("beside entries without updatedAt: got %+v, want Exit %v and Withdrawn 1", s, desk.ExitOK)
		}
		if b.State(ids[0]) != store.StateWithdrawn || b.State(ids[1]) != store.StateLive {
			t.Errorf(
				"%s is %s, and %s, which is listed without updatedAt, is %s, want state %v and state %v",
				ids[0],
				b.State(ids[0]),
				ids[1],
				b.State(ids[1]), store.StateWithdrawn, store.StateLive,
			)
		}
	})
}
