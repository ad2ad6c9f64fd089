package shopadaptertest

import (
	"errors"
	"fmt"
	"testing"
)

// A recorder stands in for a test that must not fail here.
type recorder struct{ said string }

func (r *recorder) Skipf(format string, args ...any) {
	r.said += "skip: " + fmt.Sprintf(format, args...)
}

func (r *recorder) Errorf(format string, args ...any) {
	r.said += "error: " + fmt.Sprintf(format, args...)
}

func TestReport(t *testing.T) {
	law := Law{ID: "tidy", Sentence: "A shelf is tidy."}
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"kept", nil, ""},
		{"broken", errors.New("two lamps lie on the floor"), "error: A shelf is tidy.\ntwo lamps lie on the floor"},
		{"not exercised", &Skip{Reason: "there is no shelf"}, "skip: not exercised: there is no shelf"},
	} {
		var r recorder
		if report(&r, law, tt.err); r.said != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, r.said, tt.want)
		}
	}
}

// An adapter in Go is held to every law but those of the protocol, which are skipped in Run alone.
func TestLawsOfAnAdapterInGo(t *testing.T) {
	for _, law := range Laws() {
		if law.OfProtocol() {
			t.Errorf("got %s, want no law of the http protocol", law.ID)
		}
	}
	if got, want := len(Laws()), 39; got < want {
		t.Errorf("laws of an adapter in Go: got %d, want %d or more", got, want)
	}
}
