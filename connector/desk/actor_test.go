package desk

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestActor(t *testing.T) {
	for _, tt := range []struct {
		name string
		via  Via
		want string
	}{
		{"anna", ViaCommand, "anna"},
		{"anna", "", "anna"},
		{"anna", ViaDashboard, "anna (dashboard)"},
		{"", ViaDashboard, "the dashboard"},
		{"", ViaAPI, "the API"},
		{"", ViaCommand, "a command"},
		{"", "", ""},
		{" an\nna\t b \x1b[31m\u202e", ViaCommand, "an na b [31m"},
		{"ä\xffb", ViaCommand, "äb"},
		{strings.Repeat("ä", 100), ViaCommand, strings.Repeat("ä", longestName)},
	} {
		if got := NewActor(tt.name, tt.via).String(); got != tt.want {
			t.Errorf("%q with %q: got %q, want %q", tt.name, tt.via, got, tt.want)
		}
	}
}

// A name arrives at the process that holds the store as it was given to the command, and a header
// of another program is bounded there.
func TestActorTravels(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(*http.Request)
		want string
	}{
		{"a command", func(r *http.Request) {
			sign(r.WithContext(WithActor(context.Background(), NewActor("Anna Müller 50%", ViaCommand))))
		}, "Anna Müller 50%"},
		{"a command without a name", func(r *http.Request) {
			sign(r.WithContext(WithActor(context.Background(), NewActor("", ViaCommand))))
		}, "a command"},
		{"a page", func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1") }, "the dashboard"},
		{"a program", func(*http.Request) {}, "the API"},
		{"a control character", func(r *http.Request) { r.Header.Set(ActorHeader, "an%0Ana%1B") }, "an na"},
		{"no encoding", func(r *http.Request) { r.Header.Set(ActorHeader, "%zz") }, "a command"},
		{"a long name", func(r *http.Request) { r.Header.Set(ActorHeader, strings.Repeat("a", 1<<10)) }, "a command"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "/", nil)
			tt.make(r)
			if got := ActorOf(signed(r).Context()).String(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
