package desk

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// A name arrives as it was given to the command, and a header of another program is bounded.
func TestActorTravels(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(*http.Request)
		want string
	}{
		{"a command", func(r *http.Request) {
			r.Header.Set(ActorHeader, url.PathEscape("Anna Müller 50%"))
		}, "Anna Müller 50%"},
		{"a command without a name", func(r *http.Request) { r.Header.Set(ActorHeader, "") }, "a command"},
		{"a program", func(*http.Request) {}, "the API"},
		{"a control character", func(r *http.Request) { r.Header.Set(ActorHeader, "an%0Ana%1B%E2%80%AE") }, "an na"},
		{"no encoding", func(r *http.Request) { r.Header.Set(ActorHeader, "%zz") }, "a command"},
		{
			"a long name", func(r *http.Request) { r.Header.Set(ActorHeader, strings.Repeat("a", 1<<10)) },
			strings.Repeat("a", longestName) + "…",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodPost, "/", nil)
			tt.make(r)
			if got := ActorOf(signed(r).Context()); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
