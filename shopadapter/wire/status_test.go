package wire

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

func TestError(t *testing.T) {
	for _, tt := range []struct {
		code     int
		after    string
		meaning  Meaning
		kind     shopadapter.Kind
		shopWide bool
		wait     time.Duration
	}{
		{100, "", Unknown, shopadapter.Transient, false, 0},
		{200, "", Done, shopadapter.Transient, false, 0},
		{204, "", Done, shopadapter.Transient, false, 0},
		{301, "", Moved, shopadapter.Blocked, true, 0},
		{308, "9", Moved, shopadapter.Blocked, true, 0},
		{400, "", Refused, shopadapter.Rejected, false, 0},
		{401, "9", Denied, shopadapter.Blocked, true, 0},
		{402, "9", Unpaid, shopadapter.Blocked, true, 0},
		{403, "", Denied, shopadapter.Blocked, true, 0},
		{404, "", Absent, shopadapter.Blocked, true, 0},
		{405, "", Absent, shopadapter.Blocked, true, 0},
		{408, "9", Failure, shopadapter.Transient, false, 9 * time.Second},
		{409, "", Refused, shopadapter.Rejected, false, 0},
		{410, "", Absent, shopadapter.Blocked, true, 0},
		{413, "", TooLarge, shopadapter.Rejected, false, 0},
		{418, "9", Unknown, shopadapter.Transient, false, 9 * time.Second},
		{422, "", Refused, shopadapter.Rejected, false, 0},
		{425, "", Failure, shopadapter.Transient, false, 0},
		{429, "", Pause, shopadapter.Transient, true, 0},
		{429, "2.5", Pause, shopadapter.Transient, true, 2500 * time.Millisecond},
		{500, "9", Failure, shopadapter.Transient, false, 9 * time.Second},
		{503, "", Failure, shopadapter.Transient, false, 0},
		{503, "soon", Failure, shopadapter.Transient, false, 0},
		{503, "0", Pause, shopadapter.Transient, true, 0},
		{503, "9", Pause, shopadapter.Transient, true, 9 * time.Second},
		{599, "", Failure, shopadapter.Transient, false, 0},
	} {
		t.Run(strings.TrimSpace(strconv.Itoa(tt.code)+" "+tt.after), func(t *testing.T) {
			h := http.Header{"Retry-After": {tt.after}}
			answer := Answer{Status: tt.code, Header: h}
			if got := answer.Means(); got != tt.meaning {
				t.Errorf("means %d, want %d", got, tt.meaning)
			}
			e := answer.StatusError("check the token")
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
		message, _, ok := strings.Cut((&Answer{Status: code}).StatusError("").Error(), " (HTTP ")
		if !ok || len(message) < 10 {
			t.Errorf("%d: %q", code, message)
		}
		told[message]++
	}
	if len(told) != 10 {
		t.Errorf("%d sentences for 10 meanings: %v", len(told), told)
	}
}

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 11, 1, 8, 0, 0, 0, time.UTC)
	for _, tt := range []struct {
		header string
		want   time.Duration
		ok     bool
	}{
		{"", 0, false},
		{"0", 0, true},
		{"7", 7 * time.Second, true},
		{" 7 ", 7 * time.Second, true},
		{"86400", 24 * time.Hour, true},
		{"-1", 0, false},
		{"1.5", 1500 * time.Millisecond, true},
		{"NaN", 0, false},
		{"Inf", 0, false},
		{"2147483648", 0, false},
		{"99999999999999999999", 0, false},
		{"Sun, 01 Nov 2026 08:01:30 GMT", 90 * time.Second, true},
		{"Sun, 01 Nov 2026 07:59:59 GMT", 0, true},
		{"Sunday, 01-Nov-26 08:01:30 GMT", 90 * time.Second, true},
		{"soon", 0, false},
	} {
		h := http.Header{}
		h.Set("retry-after", tt.header)
		if d, ok := retryAfter(h, now); d != tt.want || ok != tt.ok {
			t.Errorf("%q: got %s, %t, want %s, %t", tt.header, d, ok, tt.want, tt.ok)
		}
	}
	if d, ok := retryAfter(http.Header{}, now); d != 0 || ok {
		t.Errorf("no header: got %s, %t, want 0s, false", d, ok)
	}
}
