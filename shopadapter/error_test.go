package shopadapter_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
)

func TestErrorsByKind(t *testing.T) {
	for _, tt := range []struct {
		name  string
		err   *shopadapter.Error
		kind  shopadapter.Kind
		text  string
		cause error
	}{
		{"transient", shopadapter.Retry("no answer: %w", io.EOF), shopadapter.Transient, "no answer: EOF", io.EOF},
		{"rejected", shopadapter.Reject("EAN %s is short", "871"), shopadapter.Rejected, "EAN 871 is short", nil},
		{"blocked", shopadapter.Block("renew the key"), shopadapter.Blocked, "renew the key", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.err.Kind != tt.kind || tt.err.Kind.String() != tt.name || tt.err.Error() != tt.text ||
				tt.err.ShopWide ||
				tt.err.RetryAfter != 0 {
				t.Errorf("%+v", *tt.err)
			}
			if tt.cause != nil && !errors.Is(tt.err, tt.cause) {
				t.Errorf("%v is not caused by %v", tt.err, tt.cause)
			}
		})
	}
	if text := shopadapter.Kind(99).String(); text != "transient" {
		t.Errorf("an unknown kind is %s: it must be the one that loses nothing", text)
	}
}

func TestErrorText(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  shopadapter.Error
		want string
	}{
		{"message", shopadapter.Error{Message: "renew the key", Err: io.EOF}, "renew the key"},
		{"cause alone", shopadapter.Error{Err: io.EOF}, "EOF"},
		{"neither", shopadapter.Error{}, ""},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestErrorMarks(t *testing.T) {
	e := shopadapter.Retry("throttled")
	if e.Everywhere() != e || !e.ShopWide {
		t.Errorf("everywhere: %+v", *e)
	}
	if e.After(7*time.Second) != e || e.RetryAfter != 7*time.Second {
		t.Errorf("after: %+v", *e)
	}
	if e.After(-time.Second); e.RetryAfter != 0 {
		t.Errorf("after a time in the past: %s", e.RetryAfter)
	}
}

func TestExplain(t *testing.T) {
	blocked := shopadapter.Block("renew the key").Everywhere()
	for _, tt := range []struct {
		name string
		err  error
		want *shopadapter.Error
	}{
		{"none", nil, nil},
		{"itself", blocked, blocked},
		{"wrapped", fmt.Errorf("publish: %w", blocked), blocked},
		{"joined", errors.Join(io.EOF, blocked), blocked},
	} {
		if got := shopadapter.Explain(tt.err); got != tt.want {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
	plain := shopadapter.Explain(io.ErrUnexpectedEOF)
	if plain.Kind != shopadapter.Transient || plain.ShopWide || !errors.Is(plain, io.ErrUnexpectedEOF) ||
		plain.Error() != "unexpected EOF" {
		t.Errorf("without a kind: %+v", plain)
	}
	if gone := shopadapter.Explain(fmt.Errorf("publish: %w", shopadapter.ErrGone)); !errors.Is(
		gone,
		shopadapter.ErrGone,
	) {
		t.Errorf("gone: %+v", gone)
	}
}

func TestParseRetryAfter(t *testing.T) {
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
		if d, ok := shopadapter.ParseRetryAfter(h, now); d != tt.want || ok != tt.ok {
			t.Errorf("%q: %s, %t, want %s, %t", tt.header, d, ok, tt.want, tt.ok)
		}
	}
	if d, ok := shopadapter.ParseRetryAfter(http.Header{}, now); d != 0 || ok {
		t.Errorf("no header: %s, %t", d, ok)
	}
}

func TestRemovalNames(t *testing.T) {
	if shopadapter.TakeOffline.String() != "unpublish" || shopadapter.Delete.String() != "delete" {
		t.Errorf("%s, %s", shopadapter.TakeOffline, shopadapter.Delete)
	}
}
