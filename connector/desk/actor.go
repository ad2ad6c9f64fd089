package desk

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"unicode"
)

// History names who asks a desk for something: a command by the name that it gives, a browser, or a
// program that asks the admin listener.
const (
	namelessCommand = "a command"
	theDashboard    = "the dashboard"
	theAPI          = "the API"
)

// ActorHeader names the actor of a request of a command, percent-encoded.
const ActorHeader = "Pubsync-Actor"

const (
	longestName   = 64
	longestSigned = longestName * 4 * 3 // bytes of the header: a character has up to four, of three characters each
)

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
	printable := func(r rune) rune {
		if unicode.IsSpace(r) {
			return ' '
		}
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}
	name = strings.Join(strings.Fields(strings.Map(printable, name)), " ")
	if runes := []rune(name); len(runes) > longestName {
		name = strings.TrimSpace(string(runes[:longestName]))
	}
	if name == "" {
		return namelessCommand
	}
	return name
}

func sign(r *http.Request) {
	if name := ActorOf(r.Context()); name != "" {
		r.Header.Set(ActorHeader, url.PathEscape(name))
	}
}

// signed is the request with its actor in the context. A command names one, a browser tells where
// its page came from, and other programs do neither.
func signed(r *http.Request) *http.Request {
	name := theAPI
	if _, command := r.Header[ActorHeader]; command {
		header := r.Header.Get(ActorHeader)
		var err error
		if name, err = url.PathUnescape(header); err != nil || len(header) > longestSigned {
			name = ""
		}
		name = cleaned(name)
	} else if r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "" {
		name = theDashboard
	}
	return r.WithContext(context.WithValue(r.Context(), actorKey{}, name))
}
