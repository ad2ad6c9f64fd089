package vendure

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/httpstatus"
	"github.com/pubsync/pubsync/shopadapter/internal/exchange"
	"github.com/pubsync/pubsync/shopadapter/quote"
)

// The codes of Vendure's errors that the adapter tells apart (errors[].extensions.code).
const (
	codeForbidden    = "FORBIDDEN"
	codeUnauthorized = "UNAUTHORIZED"
	codeChannel      = "CHANNEL_NOT_FOUND"
	codeValidation   = "GRAPHQL_VALIDATION_FAILED"
	codeUserInput    = "USER_INPUT_ERROR"
	codeBadInput     = "BAD_USER_INPUT"
	codeIllegal      = "ILLEGAL_OPERATION"
	codeNotFound     = "ENTITY_NOT_FOUND"
)

// A graphError is an answer of the shop that holds errors: its first one.
type graphError struct {
	code    string
	message string
}

func (e *graphError) Error() string { return e.message }

// hasCode tells whether err comes from an answer with this code. "" stands for every answer with
// errors of the shop's own making.
func hasCode(err error, code string) bool {
	var e *graphError
	return errors.As(err, &e) && (code == "" || e.code == code)
}

// A result is one member of the unions in which Vendure answers a mutation: the wanted object, or
// an ErrorResult.
type result struct {
	Typename  string `json:"__typename"`
	ID        string `json:"id"`
	ErrorCode string `json:"errorCode"`
	Message   string `json:"message"`
}

func (r result) refused() error {
	if r.ErrorCode == "" {
		return nil
	}
	return &graphError{code: r.ErrorCode, message: r.Message}
}

// classify says who can mend what came back. err is the GraphQL client's.
func (a *Adapter) classify(ctx context.Context, seen *exchange.Exchange, err error) error {
	if err == nil {
		return nil
	}
	if lost := seen.Lost(ctx, err, a.scrub); lost != nil {
		return lost
	}
	if e := a.classifyStatus(seen); e != nil {
		return e
	}
	return a.classifyGraph(seen)
}

// classifyStatus judges an answer by its HTTP status. nil: the body tells more.
func (a *Adapter) classifyStatus(seen *exchange.Exchange) *shopadapter.Error {
	switch httpstatus.Of(seen.Status, seen.Header) {
	case httpstatus.Done, httpstatus.Refused, httpstatus.Unknown:
		return nil
	}
	return words.Error(seen.Status, seen.Header)
}

var words = httpstatus.Words{
	httpstatus.Denied: "something in front of the shop refuses access: check URL and what protects it",
	httpstatus.Absent: "there is no Admin API at the address: check URL",
	httpstatus.Moved:  "the address is redirected: set URL to where it leads",
}

// classifyGraph judges an answer by the first of its GraphQL errors.
func (a *Adapter) classifyGraph(seen *exchange.Exchange) error {
	var answer struct {
		Errors []struct {
			Message    string `json:"message"`
			Extensions struct {
				Code string `json:"code"`
			} `json:"extensions"`
		} `json:"errors"`
	}
	if err := json.Unmarshal(seen.Body, &answer); err != nil || len(answer.Errors) == 0 {
		return shopadapter.Retry("the shop's answer is not GraphQL (HTTP %d)", seen.Status)
	}
	cause := &graphError{code: answer.Errors[0].Extensions.Code, message: a.scrub(answer.Errors[0].Message)}
	e := &shopadapter.Error{Err: cause}
	switch cause.code {
	case codeForbidden, codeUnauthorized:
		e.Kind, e.ShopWide = shopadapter.Blocked, true
		e.Message = "the account may not do this: give it the rights to read, create, update and delete in the " +
			"catalogue"
	case codeChannel:
		e.Kind, e.ShopWide = shopadapter.Blocked, true
		e.Message = "there is no channel with the token in CHANNEL"
	case codeValidation:
		e.Kind, e.ShopWide = shopadapter.Blocked, true
		e.Message = "the shop's API is not the one of Vendure 3.7 or later: " + cause.message
		if strings.Contains(cause.message, "ustomFields") || strings.Contains(cause.message, "pubsync") {
			e.Message = missingFields
		}
	case codeUserInput, codeBadInput, codeIllegal:
		e.Kind = shopadapter.Rejected
		e.Message = "the shop refuses it: " + cause.message
		switch {
		case cause.code != codeBadInput:
		case strings.Contains(cause.message, "pubsync"):
			// A field that is there but read-only is not part of the input types.
			e.Kind, e.ShopWide, e.Message = shopadapter.Blocked, true, missingFields
		}
	case codeNotFound:
		// Something was deleted between the reading and the writing. The next call reads again and
		// will know.
		e.Message = "the shop has changed meanwhile: " + cause.message
	default:
		e.Message = "the shop reports an error: " + cause.message
	}
	return e
}

const missingFields = "the shop lacks pubsync's custom fields: " +
	"add these lines to vendure-config.ts, migrate the database and restart Vendure:\n" + ConfigLines

// maxQuoted bounds what is shown of a text that the shop sent, in characters.
const maxQuoted = 300

// scrub makes a foreign text fit to be shown.
func (a *Adapter) scrub(text string) string {
	return quote.Line(text, maxQuoted, func(shown string) string {
		return quote.Hider("***", a.secrets()...).Replace(shown)
	})
}

// secrets are the password and what the last two logins brought.
func (a *Adapter) secrets() []string {
	now, before := a.session.known()
	var list []string
	for _, secret := range []string{a.password, now.token, now.cookie, before.token, before.cookie} {
		if quote.Hides(secret) {
			list = append(list, secret)
		}
	}
	return list
}
