package worker_test

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

// An objection to one publication is its own, however it is worded: all others are in the shop and
// reported by the same run, which ends soon, and not as where the marketplace cannot be used.
func TestAnObjectionToOnePublication(t *testing.T) {
	for name, tt := range map[string]struct {
		operation string // "": each of them
		answer    string
	}{
		"denied": {
			answer: `{"data":{"publication":null},"errors":[{"message":"access denied","path":["publication"]}]}`,
		},
		"forbidden": {answer: `{"data":null,"errors":[{"message":"No","extensions":{"code":"FORBIDDEN"}}]}`},
		"the look before the report": {
			operation: "Look",
			answer:    `{"data":null,"errors":[{"message":"access denied","path":["publication"]}]}`,
		},
		"of its content":    {operation: "Content", answer: harness.Objection(`Field "title" of this listing is broken`)},
		"by the validation": {answer: harness.Objection(`Variable "$id" got an invalid value`)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := harness.New(t, sandbox.Options{})
				f := b.Forge()
				ids := b.Market.AddSound(5)
				f.Answer = func(operation, body string) string {
					if !strings.Contains(body, ids[2]) || tt.operation != "" && operation != tt.operation {
						return ""
					}
					return tt.answer
				}
				begun := time.Now()
				s := b.Once(false)
				if took := time.Since(begun); took > time.Minute {
					t.Errorf("took %s, want at most a minute", took)
				}
				if s.Exit != desk.ExitStanding || s.Error != "" || s.Reported != 4 || s.Pending+s.Refused != 1 {
					t.Errorf("got %+v, want Exit 1, no error, Reported 4, and 1 pending or refused", s)
				}
				f.Do(func() { f.Answer = nil })
				if s := b.Once(false); s.Exit != desk.ExitOK || b.State(ids[2]) != store.StateLive {
					t.Errorf("once it is mended: got %+v, and it is %s", s, b.State(ids[2]))
				}
			})
		})
	}
}
