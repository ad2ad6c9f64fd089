package desk

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"unicode"
)

// An Actor is who asks a desk for something. History names them.
type Actor struct {
	Name string // as they call themselves; "": not known
	Via  Via
}

// Via is what an actor asks with.
type Via string

// What an actor may ask with.
const (
	ViaCommand   Via = "command"
	ViaDashboard Via = "dashboard"
	ViaAPI       Via = "API" // a program that asks the admin listener
)

const longestName = 64

// NewActor is an actor with a name that history can keep: one line of bounded length.
func NewActor(name string, via Via) Actor {
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
	return Actor{Name: name, Via: via}
}

// String is how history names the actor: by name, or by what they asked with.
func (a Actor) String() string {
	switch {
	case a.Name != "" && (a.Via == "" || a.Via == ViaCommand):
		return a.Name
	case a.Name != "":
		return a.Name + " (" + string(a.Via) + ")"
	case a.Via == ViaDashboard, a.Via == ViaAPI:
		return "the " + string(a.Via)
	case a.Via != "":
		return "a " + string(a.Via)
	default:
		return ""
	}
}

type actorKey struct{}

// WithActor is a context whose requests to a desk are the actor's.
func WithActor(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// ActorOf is the actor of a context, the zero Actor where it has none.
func ActorOf(ctx context.Context) Actor {
	a, _ := ctx.Value(actorKey{}).(Actor)
	return a
}

// ActorHeader names the actor of a request of a command, percent-encoded.
const ActorHeader = "Pubsync-Actor"

func sign(r *http.Request) {
	if a := ActorOf(r.Context()); a != (Actor{}) {
		r.Header.Set(ActorHeader, url.PathEscape(a.Name))
	}
}

// longestSigned bounds the header that is read, in bytes: each character has up to four bytes, of three
// characters each.
const longestSigned = longestName * 4 * 3

// signed is the request with its actor in the context. A command names one, a browser tells where
// its page came from, and other programs do neither.
func signed(r *http.Request) *http.Request {
	a := Actor{Via: ViaAPI}
	if _, command := r.Header[ActorHeader]; command {
		header := r.Header.Get(ActorHeader)
		name, err := url.PathUnescape(header)
		if err != nil || len(header) > longestSigned {
			name = ""
		}
		a = NewActor(name, ViaCommand)
	} else if r.Header.Get("Origin") != "" || r.Header.Get("Sec-Fetch-Site") != "" {
		a = Actor{Via: ViaDashboard}
	}
	return r.WithContext(WithActor(r.Context(), a))
}
