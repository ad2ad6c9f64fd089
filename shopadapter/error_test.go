package shopadapter_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
)

func TestErrorsByKind(t *testing.T) {
	for want, err := range map[string]*shopadapter.Error{
		"transient: no answer: EOF":  shopadapter.Retry("no answer: %w", io.EOF),
		"rejected: EAN 871 is short": shopadapter.Reject("EAN %s is short", "871"),
		"blocked: renew the key":     shopadapter.Block("renew the key"),
	} {
		if got := err.Kind.String() + ": " + err.Error(); got != want || err.ShopWide || err.RetryAfter != 0 {
			t.Errorf("got %s, %+v, want %s", got, *err, want)
		}
		if cut := strings.HasSuffix(want, "EOF"); errors.Is(err, io.EOF) != cut {
			t.Errorf("%s: the cause is found: got %t, want %t", want, !cut, cut)
		}
	}
	if text := shopadapter.Kind(99).String(); text != "transient" {
		t.Errorf("an unknown kind: got %s, want transient, which loses nothing", text)
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
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
	plain := shopadapter.Explain(io.ErrUnexpectedEOF)
	if plain.Kind != shopadapter.Transient || plain.ShopWide || !errors.Is(plain, io.ErrUnexpectedEOF) ||
		plain.Error() != "unexpected EOF" {
		t.Errorf("without a kind: got %+v, want a transient one with its cause", plain)
	}
	gone := shopadapter.Explain(fmt.Errorf("publish: %w", shopadapter.ErrGone))
	if !errors.Is(gone, shopadapter.ErrGone) {
		t.Errorf("the cause of one that wraps ErrGone: got %+v, want ErrGone", gone)
	}
}
