package engine_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A report that was refused in an earlier run, and whose next answer is lost, is made again within the patience.
func TestRefusedReportWhoseNextAnswerIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, harness.Unthrottled())
		b.Market.AddSound(1)
		b.Market.Inject(sandbox.Fault{Kind: sandbox.RefusedReport, Next: 1, On: []sandbox.Kind{sandbox.KindReport}})
		if s := b.Once(false); s.Refused != 1 {
			t.Fatalf("got %+v, want one refused report", s)
		}
		time.Sleep(time.Hour)
		b.Market.Inject(sandbox.Fault{
			Kind: sandbox.Cut, Next: 1, On: []sandbox.Kind{sandbox.KindReport, sandbox.KindLook},
		})
		if s := b.Once(false); s.Exit != desk.ExitOK || s.Reported != 1 {
			t.Errorf("got %+v, want it reported", s)
		}
	})
}
