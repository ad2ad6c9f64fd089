package httpstatus_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/httpstatus"
)

func TestError(t *testing.T) {
	for _, tt := range []struct {
		code     int
		after    string
		meaning  httpstatus.Meaning
		kind     shopadapter.Kind
		shopWide bool
		wait     time.Duration
	}{
		{100, "", httpstatus.Unknown, shopadapter.Transient, false, 0},
		{200, "", httpstatus.Done, shopadapter.Transient, false, 0},
		{204, "", httpstatus.Done, shopadapter.Transient, false, 0},
		{301, "", httpstatus.Moved, shopadapter.Blocked, true, 0},
		{308, "9", httpstatus.Moved, shopadapter.Blocked, true, 0},
		{400, "", httpstatus.Refused, shopadapter.Rejected, false, 0},
		{401, "9", httpstatus.Denied, shopadapter.Blocked, true, 0},
		{402, "", httpstatus.Unknown, shopadapter.Transient, false, 0},
		{403, "", httpstatus.Denied, shopadapter.Blocked, true, 0},
		{404, "", httpstatus.Absent, shopadapter.Blocked, true, 0},
		{405, "", httpstatus.Absent, shopadapter.Blocked, true, 0},
		{408, "9", httpstatus.Failure, shopadapter.Transient, false, 9 * time.Second},
		{409, "", httpstatus.Refused, shopadapter.Rejected, false, 0},
		{410, "", httpstatus.Absent, shopadapter.Blocked, true, 0},
		{413, "", httpstatus.TooLarge, shopadapter.Rejected, false, 0},
		{418, "9", httpstatus.Unknown, shopadapter.Transient, false, 9 * time.Second},
		{422, "", httpstatus.Refused, shopadapter.Rejected, false, 0},
		{425, "", httpstatus.Failure, shopadapter.Transient, false, 0},
		{429, "", httpstatus.Pause, shopadapter.Transient, true, 0},
		{429, "2.5", httpstatus.Pause, shopadapter.Transient, true, 2500 * time.Millisecond},
		{500, "9", httpstatus.Failure, shopadapter.Transient, false, 9 * time.Second},
		{503, "", httpstatus.Failure, shopadapter.Transient, false, 0},
		{503, "soon", httpstatus.Failure, shopadapter.Transient, false, 0},
		{503, "0", httpstatus.Pause, shopadapter.Transient, true, 0},
		{503, "9", httpstatus.Pause, shopadapter.Transient, true, 9 * time.Second},
		{599, "", httpstatus.Failure, shopadapter.Transient, false, 0},
	} {
		t.Run(strings.TrimSpace(strconv.Itoa(tt.code)+" "+tt.after), func(t *testing.T) {
			h := http.Header{"Retry-After": {tt.after}}
			if got := httpstatus.Of(tt.code, h); got != tt.meaning {
				t.Errorf("means %d, want %d", got, tt.meaning)
			}
			e := httpstatus.Error(tt.code, h, "check the token")
			if e.Kind != tt.kind || e.ShopWide != tt.shopWide || e.RetryAfter != tt.wait {
				t.Errorf("%+v, want %s, shop-wide %t, after %s", e, tt.kind, tt.shopWide, tt.wait)
			}
			if want := "check the token (HTTP " + strconv.Itoa(tt.code) + ")"; e.Error() != want {
				t.Errorf("%q, want %q", e, want)
			}
		})
	}
}

// Each meaning has words of its own where the adapter has none.
func TestGeneralWords(t *testing.T) {
	told := map[string]int{}
	for code := 100; code < 600; code++ {
		message, _, ok := strings.Cut(httpstatus.Error(code, nil, "").Error(), " (HTTP ")
		if !ok || len(message) < 10 {
			t.Errorf("%d: %q", code, message)
		}
		told[message]++
	}
	if len(told) != 9 {
		t.Errorf("%d sentences for 9 meanings: %v", len(told), told)
	}
}
