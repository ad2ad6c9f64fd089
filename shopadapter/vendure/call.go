package vendure

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// limits bound an answer: a product with all its variants, each of some 25 elements, or a page of
// products with theirs.
var limits = wire.Limits{Bytes: 4 << 20, Elements: 60_000}

// An input is the argument of a mutation: what is left out of it stays as it is.
type input map[string]any

// call runs one document and decodes its data into out, which may be nil.
func (a *Adapter) call(ctx context.Context, document string, variables input, out any) error {
	return a.loggedIn(ctx, func(login http.Header) (*wire.Answer, error) {
		return a.send(ctx, login, document, variables, out)
	})
}

func (a *Adapter) send(
	ctx context.Context, login http.Header, document string, variables input, out any,
) (*wire.Answer, error) {
	got, err := a.wire.GraphQL(
		ctx, wire.Query{Text: document, Variables: variables, Limits: limits, Header: login}, out,
	)
	return got, kit.Unusable(got, err, words, a.objection)
}

// The codes of Vendure's errors that are looked at in several places (errors[].extensions.code).
const (
	codeForbidden    = "FORBIDDEN"
	codeUnauthorized = "UNAUTHORIZED"
	codeNotFound     = "ENTITY_NOT_FOUND"
)

// hasCode reports whether err comes from an answer with this code. "" stands for every objection of
// the shop's own making.
func hasCode(err error, code string) bool {
	f, said := errors.AsType[*wire.Fault](err)
	return said && (code == "" || f.Code == code)
}

// A result is one member of the unions in which Vendure answers a mutation: the wanted object, or
// an ErrorResult.
type result struct{ ID, ErrorCode, Message string }

func (r result) refused() error {
	if r.ErrorCode == "" {
		return nil
	}
	return &wire.Fault{Code: r.ErrorCode, Message: r.Message}
}

var words = wire.Words{
	wire.Denied: "something in front of the shop refuses access: check URL and what protects it",
	wire.Absent: "there is no Admin API at the address: check URL",
	wire.Moved:  "the address is redirected: set URL to where it leads",
}

// objection is the error of an answer with errors, by the first of them.
func (a *Adapter) objection(all []wire.Fault) error {
	cause := &wire.Fault{Code: all[0].Code, Message: a.wire.Clean(all[0].Message)}
	e := &shopadapter.Error{Err: cause, Message: "the shop reports an error: " + cause.Message}
	block := func(words string) { e.Kind, e.ShopWide, e.Message = shopadapter.Blocked, true, words }
	ours := strings.Contains(cause.Message, "pubsync")
	switch cause.Code {
	case codeForbidden, codeUnauthorized:
		block("the account may not do this: give it the rights to read, create, update and delete in the catalogue")
	case "CHANNEL_NOT_FOUND":
		return noChannel()
	case "GRAPHQL_VALIDATION_FAILED":
		if block(missingFields); !ours && !strings.Contains(cause.Message, "ustomFields") {
			block("the shop's API is not the one of Vendure 3.7 or later: " + cause.Message)
		}
	case "USER_INPUT_ERROR", "BAD_USER_INPUT", "ILLEGAL_OPERATION":
		e.Kind, e.Message = shopadapter.Rejected, "the shop refuses it: "+cause.Message
		if cause.Code == "BAD_USER_INPUT" && ours { // a field that is read-only is not part of the input types
			block(missingFields)
		}
	case codeNotFound: // deleted between the reading and the writing: the next call will know
		e.Message = "the shop has changed meanwhile: " + cause.Message
	}
	return e
}

const missingFields = "the shop lacks pubsync's custom fields: " +
	"add these lines to vendure-config.ts, migrate the database and restart Vendure:\n" + ConfigLines

func noChannel() error {
	return shopadapter.Block("there is no channel with the token in CHANNEL").Everywhere()
}

// goneIsDone lets a deletion by somebody else, between the reading and this call, count as success.
func goneIsDone(err error) error {
	if hasCode(err, codeNotFound) {
		return nil
	}
	return err
}

// lenient lets an error of the shop's about this one thing pass, for what is done for tidiness
// alone. That the shop is away or refuses the account remains an error.
func lenient(err error) error {
	if e := shopadapter.Explain(err); e != nil && !e.ShopWide && hasCode(err, "") {
		return nil
	}
	return err
}

// maxRequest is what a request's JSON may measure, in bytes. Vendure's own limit is 102,400 unless
// the owner raised it, and it answers what is larger with an empty 500. The rest is for the
// document and the note.
const maxRequest = 90_000

// size is how long a value is in a request.
func size(value any) int { return len(kit.Encode(value)) }

// parts cuts a list into runs that each fit one request, with at most count values. A value that
// does not fit alone is in a run of its own.
func parts[T any](list []T, count int) (runs [][]T) {
	start, length := 0, 0
	for i, value := range list {
		n := size(value) + 1
		if i > start && (length+n > maxRequest || i-start == count) {
			runs = append(runs, list[start:i])
			start, length = i, 0
		}
		length += n
	}
	if start < len(list) {
		runs = append(runs, list[start:])
	}
	return runs
}
