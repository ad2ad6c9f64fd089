package desk

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"unicode"
)

// ActorHeader names the actor of a request of a command, percent-encoded.
const ActorHeader = "Pubsync-Actor"

const longestName = 64

type actorKey struct{}

// WithActor is a context whose requests to a desk are of somebody's command; "": history calls it so.
func WithActor(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, actorKey{}, cleaned(name))
}

// ActorOf is how history names the actor of a context, "" where it has none.
func ActorOf(ctx context.Context) string {
	name, _ := ctx.Value(actorKey{}).(string)
	return name
}

// cleaned is a name that history can keep: one line of bounded length.
func cleaned(name string) string {
	name = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(name, ""), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
	if runes := []rune(name); len(runes) > longestName {
		name = strings.TrimSpace(string(runes[:longestName]))
	}
	if name == "" {
		return "a command"
	}
	return name
}

// signed is the request with its actor in the context. A command names one, a browser tells where
// its page came from, and other programs do neither.
func signed(r *http.Request) *http.Request {
	name := "the API"
	if _, command := r.Header[ActorHeader]; command {
		name, _ = url.PathUnescape(r.Header.Get(ActorHeader)) //nolint:errcheck // then it has none
	} else if r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "" {
		name = "the dashboard"
	}
	return r.WithContext(WithActor(r.Context(), name))
}
