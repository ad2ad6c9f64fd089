package setup

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
)

// A run that is told of every second is logged every thirty seconds.
func TestProgressIsLoggedEveryThirtySeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		tell := logged(nil, slog.New(slog.NewTextHandler(&log, nil)))
		for i := range 95 {
			time.Sleep(time.Second)
			tell(
				desk.Progress{
					Listed:    200,
					Done:      int64(i),
					Due:       200 - i,
					PerMinute: 60,
					Left:      time.Duration(200-i) * time.Second,
				},
			)
		}
		if got := strings.Count(log.String(), "\n"); got != 3 {
			t.Errorf("got %d records in 95 s, want 3:\n%s", got, &log)
		}
		if want := "listed=200 done=29 due=171 per_minute=60 left=3m"; !strings.Contains(log.String(), want) {
			t.Errorf("got %s, want %q in it", &log, want)
		}
	})
}
