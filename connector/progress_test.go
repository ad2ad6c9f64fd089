package connector_test

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector"
	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

// A lockedBuffer is written by a worker and read by its test.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// A worker logs how far it has come with an import, every thirty seconds, and nothing once it is
// done.
func TestAWorkerLogsItsProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log lockedBuffer
		b := harness.New(t, sandbox.Options{RestoreRate: 50})
		b.Tune = func(o *connector.Options) { o.Logger = slog.New(slog.NewTextHandler(&log, nil)) }
		b.Market.AddSound(400)
		_, stop := b.Start()
		defer stop()
		time.Sleep(100 * time.Second)
		if got := strings.Count(log.String(), "work under way"); got < 2 || got > 3 {
			t.Errorf("got %d records of progress in 100 s, want 2 or 3", got)
		}
		if !strings.Contains(log.String(), "left=") {
			t.Errorf("got no time left:\n%s", log.String())
		}
		time.Sleep(10 * time.Minute)
		before := strings.Count(log.String(), "work under way")
		time.Sleep(time.Hour)
		if got := strings.Count(log.String(), "work under way"); got != before {
			t.Errorf("got %d more records of progress of an idle worker, want none", got-before)
		}
	})
}
