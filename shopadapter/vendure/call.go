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

// limits suit a product with its variants, each of some 25 elements, or a page of products.
var limits = wire.Limits{Bytes: 4 << 20, Elements: 60_000}

// An input is a mutation's argument. Fields that it lacks stay as they are.
type input map[string]any

// call decodes the document's data into out, which may be nil.
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

// Codes of Vendure's errors (errors[].extensions.code).
const (
	codeForbidden    = "FORBIDDEN"
	codeUnauthorized = "UNAUTHORIZED"
	codeNotFound     = "ENTITY_NOT_FOUND"
)

// hasCode reports whether err is the shop's error with this code; "" stands for any code.
func hasCode(err error, code string) bool {
	f, said := errors.AsType[*wire.Fault](err)
	return said && (code == "" || f.Code == code)
}

// A result is the wanted object of a mutation, or an ErrorResult.
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
		if cause.Code == "BAD_USER_INPUT" && ours { // a read-only field is not in the input types
			block(missingFields)
		}
	case codeNotFound: // deleted since it was read; the next call will know
		e.Message = "the shop has changed meanwhile: " + cause.Message
	}
	return e
}

const missingFields = "the shop lacks pubsync's custom fields: " +
	"add these lines to vendure-config.ts, migrate the database and restart Vendure:\n" + ConfigLines

func noChannel() error {
	return shopadapter.Block("there is no channel with the token in CHANNEL").Everywhere()
}

// goneIsDone lets a deletion by somebody else count as success.
func goneIsDone(err error) error {
	if hasCode(err, codeNotFound) {
		return nil
	}
	return err
}

// lenient ignores the shop's objection to this one thing, where the work is only tidying. Other errors remain: the
// shop is away or refuses the account.
func lenient(err error) error {
	if e := shopadapter.Explain(err); e != nil && !e.ShopWide && hasCode(err, "") {
		return nil
	}
	return err
}

// maxRequest bounds a request's JSON, in bytes, and leaves room for document and note. Vendure takes 102,400 bytes
// unless the owner raised it, and answers more with an empty 500.
const maxRequest = 90_000

func size(value any) int { return len(kit.Encode(value)) }

// parts cuts a list into runs of at most count values that each fit one request. A value that is too large is alone
// in its run.
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

// A session is one login, by bearer token or cookies.
type session struct {
	header http.Header // of each request under it
	secret string
}

// loggedIn sends under the session, and replaces it once if the shop does not know it.
func (a *Adapter) loggedIn(ctx context.Context, send func(http.Header) (*wire.Answer, error)) error {
	var stale *session
	for {
		login, err := a.login(ctx, stale)
		if err != nil {
			return err
		}
		got, err := send(login.header)
		unknown := hasCode(err, codeForbidden) || hasCode(err, codeUnauthorized) ||
			err != nil && got.Status == http.StatusUnauthorized
		if !unknown || stale != nil {
			return err
		}
		stale = login
	}
}

const loginDocument = `mutation Login($username: String!, $password: String!) {
  login(username: $username, password: $password) {
    __typename
    ... on CurrentUser { id }
    ... on ErrorResult { errorCode message }
  }
}`

// login returns the session. The caller passes a refused one as stale; only the first such call logs in anew.
func (a *Adapter) login(ctx context.Context, stale *session) (*session, error) {
	if err := a.turn.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer a.turn.Release(1)
	now := a.session.Load()
	if now.header != nil && now != stale {
		return now, nil
	}
	var answer struct{ Login result }
	got, err := a.send(ctx, nil, loginDocument, input{"username": a.set.Username, "password": a.set.Password}, &answer)
	switch {
	case err != nil:
		return nil, err
	case answer.Login.refused() != nil:
		return nil, shopadapter.Block("the shop refuses the login: check USERNAME and PASSWORD").Everywhere()
	}
	fresh := &session{}
	if token := got.Header.Get("vendure-auth-token"); token != "" {
		fresh.secret, fresh.header = token, http.Header{"Authorization": {"Bearer " + token}}
	} else if fresh.secret = cookies(got.Header); fresh.secret != "" {
		fresh.header = http.Header{"Cookie": {fresh.secret}}
	} else {
		return nil, shopadapter.Block("the shop gives no session to a login: set authOptions.tokenMethod to " +
			"['bearer', 'cookie'] in vendure-config.ts").Everywhere()
	}
	a.session.Store(fresh)
	return fresh, nil
}

func cookies(h http.Header) string {
	var pairs []string
	for _, c := range (&http.Response{Header: h}).Cookies() {
		pairs = append(pairs, c.Name+"="+c.Value)
	}
	return strings.Join(pairs, "; ")
}
