package shopadapter_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

// A Retry-After is read as a span that lies ahead, or as none.
func FuzzParseRetryAfter(f *testing.F) {
	for _, seed := range []string{"", "0", "120", "-1", " 5 ", "1e9", "2.5", "99999999999999999999", "Fri, 31 Dec " +
		"9999 23:59:59 GMT", "Sat, 01 Jan 0000 00:00:00 GMT", "\x00"} {
		f.Add(seed, int64(1_800_000_000))
	}
	f.Fuzz(func(t *testing.T, value string, now int64) {
		d, ok := shopadapter.ParseRetryAfter(http.Header{"Retry-After": {value}}, time.Unix(now%(1<<33), 0))
		if d < 0 || d > 0 && !ok {
			t.Errorf("%q: got %s, %t, want a span that lies ahead, or none", value, d, ok)
		}
	})
}
