package exit

import (
	"bytes"
	"errors"
	"testing"

	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/desk"
)

func TestTell(t *testing.T) {
	const nasty = "lamp\x1b[31m\x1b[2J\u202eend"
	for _, tt := range []struct {
		name string
		err  error
		code int
		said string
	}{
		{"no error", nil, 0, ""},
		{"a code alone", With(4), 4, ""},
		{"code 0", With(0), 0, ""},
		{"an error with a code", &desk.Error{Exit: 3, Err: errors.New(nasty)}, 3, "pubsync: " + say.Harmless(nasty) + "\n"},
		{"an error without one", errors.New("lost"), 1, "pubsync: lost\n"},
		{"wrong usage", Usage("no %s", "flag"), 2, "pubsync: wrong usage: no flag (pubsync --help)\n"},
	} {
		var out bytes.Buffer
		if code := Tell(tt.err, &out); code != tt.code {
			t.Errorf("%s: exit code %d, want %d", tt.name, code, tt.code)
		}
		if out.String() != tt.said {
			t.Errorf("%s: printed %q, want %q", tt.name, out.String(), tt.said)
		}
	}
}
