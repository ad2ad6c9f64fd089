package marketplace

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter/wire"
)

// Kind says who or what mends an error.
type Kind int

// The kinds. An error without one is Transient.
const (
	Transient     Kind = iota // time: no whole GraphQL answer, or an error inside the server
	Throttled                 // time: the bucket is empty
	Unauthorized              // the merchant: the token is refused
	CursorRefused             // the list must be started over
	Refused                   // for this publication or webhook alone
	Invalid                   // a setting, or pubsync
)

// An Error is a failed request. Its text has no secret, and at most some 200 characters of the server's.
type Error struct {
	Op         string // "list publications" for example
	Kind       Kind
	Message    string        // one line, for the merchant
	Status     int           // of HTTP; 0: no answer
	RetryAfter time.Duration // as the server says; 0: none
	Err        error         // the cause

	is     verdict // 0: the server named no error
	own    bool    // about this request alone: others need not fail
	denied bool    // the token is good, but lacks the right
	absent bool
	said   string // by the server: to find names in, never shown
}

func (e *Error) Error() string {
	if e.Op == "" {
		return e.Message
	}
	return e.Op + ": " + e.Message
}

func (e *Error) Unwrap() error { return e.Err }

func about(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{}
}

// KindOf returns the kind of the [Error] in err's chain, else Transient.
func KindOf(err error) Kind { return about(err).Kind }

// IsDenied reports whether err, of a report, says that the token may not report.
func IsDenied(err error) bool { return about(err).denied && KindOf(err) == Refused }

// IsRights reports whether err is about rights of the token or of one publication.
func IsRights(err error) bool { return about(err).denied || KindOf(err) == Unauthorized }

// IsObjection reports whether err is about its request alone: a denial, an objection in any words, an answer that
// cannot be read, or an error at the place of the one publication.
func IsObjection(err error) bool { return about(err).own }

// IsRefusal reports whether the marketplace refused a request that was not about a publication, so that asking again
// soon does not help.
func IsRefusal(err error) bool {
	e := about(err)
	return e.own || e.Kind == Unauthorized && e.Status != http.StatusUnauthorized && e.Status != 0
}

// ReportsDenied is the message for a token that may not report.
const ReportsDenied = "the token may not report the status of publications (the specification does not show which " +
	"scope that takes: ask the marketplace for it)"

func (r *Reader) judge(ctx context.Context, q request, a *wire.Answer, answer *reply, lost *wire.Error) *Error {
	e := &Error{Op: q.op, Status: a.Status, RetryAfter: min(a.RetryAfter, longestPause)}
	say := func(v verdict, format string, args ...any) {
		e.is, e.Kind, e.Message = v, kinds[v], r.wire.Clean(fmt.Sprintf(format, args...))
	}
	if lost != nil && !lost.Unreadable {
		e.Err = ctx.Err()
		say(isInternal, "%s", lost.Message)
		return e
	}
	executed := false
	for _, value := range answer.data {
		executed = executed || !isNull(value)
	}
	one, faulty := q.own && q.root != "", len(a.Faults) > 0
	e.own = q.own && faulty
	e.absent = one && q.vars == nil && faulty && isNull(answer.data[q.root]) &&
		(a.Status < 300 || a.Status == http.StatusNotFound)
	for _, f := range a.Faults {
		e.said += f.Message + "\n"
		e.own = e.own && f.Field(0) != "" && (!one || f.Field(0) == q.root)
		e.absent = e.absent && e.own && isAbsent(f)
		v := judge(f, q.cursor)
		if v == isUnauthorized && a.Status < 300 && executed {
			v = isUnknown // one field is denied, the token is good
		}
		if e.is == 0 || v < e.is {
			e.denied = v == isUnauthorized && (one || denies(f))
			e.is, e.Message = v, cmp.Or(f.Message, "the marketplace reports an error without a message")
		}
	}
	switch {
	case e.absent:
		e.Kind = Refused
		return e
	case a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden:
		e.denied = one && a.Status == http.StatusForbidden
		say(isUnauthorized, "the token was refused (HTTP %d)", a.Status)
	case a.Status == http.StatusTooManyRequests || e.is == isThrottled:
		say(isThrottled, "throttled")
	case a.Status >= 500:
		say(isInternal, "the marketplace answered HTTP %d", a.Status)
	case faulty:
		say(e.is, "%s", e.Message)
	case a.Status != http.StatusOK && a.Status != http.StatusCreated:
		say(isInternal, "the marketplace answered HTTP %d without saying why: is the address right?", a.Status)
	case isNull(a.Data):
		say(isInternal, "the answer is not GraphQL, or holds no data")
	case lost != nil:
		return unreadable(q.op, lost.Err)
	default:
		return nil
	}
	e.own = e.own || e.denied || e.Kind == Invalid || e.is == isUnknown
	switch {
	case e.Kind == Unauthorized && e.denied && one:
		e.Kind = Transient // only a 401, or a denied account or list, refuses the token
	case e.Kind == Unauthorized && !e.denied && r.o.Install != "":
		e.Message += ": " + r.o.Install // the app may have been removed
	}
	return e
}

// unreadable makes the error of a wrong answer; err may be nil.
func unreadable(op string, err error) *Error {
	if err == nil {
		return &Error{Op: op, Message: "the answer does not hold what was asked for", own: true}
	}
	return &Error{Op: op, Message: "the answer cannot be read: " + strings.TrimSpace(err.Error()), Err: err, own: true}
}

// names reports whether the server quoted a word, as it does with names that it objects to.
func (e *Error) names(word string) bool {
	return slices.ContainsFunc([]string{`"`, "'", "`"}, func(quote string) bool {
		return strings.Contains(e.said, quote+word+quote)
	})
}

// A verdict classifies an entry of an answer's errors. The first of this list counts, so that trouble inside the
// server is not taken for an answer.
type verdict int

const (
	isThrottled verdict = iota + 1
	isInternal
	isUnauthorized
	isCursor
	isExpensive // more than this server allows one query
	isInvalid   // document or variables do not fit the schema
	isUnknown
)

var kinds = [...]Kind{Transient, Throttled, Transient, Unauthorized, CursorRefused, Invalid, Invalid, Transient}

// dear names what a query may have too much of, over says that it is too much.
const (
	dear = `(?:cost|complex|expensive|page size|first)`
	over = `(?:exceed|too |limit|max|(?:higher|greater|more|less) than|at most|up to|between)`
)

// verdicts are tried in order on an entry's code and message in lower case.
var verdicts = [...]*regexp.Regexp{
	isThrottled: regexp.MustCompile(`throttl|rate.limit|too.many.requests`),
	isInternal: regexp.MustCompile(`internal|server error|unavailable|time(?:d )?out|try again|temporar|overload|` +
		`upstream|bad gateway|went wrong|un(?:expected|known) error`),
	isUnauthorized: regexp.MustCompile(`unauth|not authori|authenticat|denied|forbidden|permission|revoked|` +
		`(?:invalid|expired) token|token (?:is invalid|has expired)`),
	isCursor:    regexp.MustCompile(`cursor|after`),
	isExpensive: regexp.MustCompile(dear + `.*` + over + `|` + over + `.*` + dear),
	isInvalid: regexp.MustCompile(`cannot (?:query|represent)|unknown (?:argument|type|field)|variable|argument|` +
		`expected (?:type|value)|does(?: not|n['’]t) exist|invalid value|not a valid|syntax|parse|undefined|` +
		`must be provided|is (?:required|not defined)|selection|introspect|__schema|validation|bad_user_input`),
}

// judge judges one entry; cursor says whether the request has one.
func judge(f wire.Fault, cursor bool) verdict {
	said := strings.ToLower(f.Code + " " + f.Message)
	for v := isThrottled; v < isUnknown; v++ {
		if (v != isCursor || cursor) && verdicts[v].MatchString(said) {
			return v
		}
	}
	return isUnknown
}

// denies reports whether an entry about rights is about one field and not about the token.
func denies(f wire.Fault) bool {
	return len(f.Path) > 0 && !strings.Contains(strings.ToLower(f.Message), "authentic")
}

// saysAbsent matches a code or message that is about the publication itself, and not about a part or a server.
var saysAbsent = regexp.MustCompile(`(?i)^(?:\w*not_?found|not found|` +
	`(?:no such|unknown|(?:could ?n[o'’]t|cannot) find) (?:publication|record)|` +
	`(?:the )?(?:publication|record)\b.*(?:not (?:be )?found|n[o'’]t exist|no longer exist))`)

func isAbsent(f wire.Fault) bool {
	return len(f.Path) == 1 && judge(f, false) >= isInvalid &&
		(saysAbsent.MatchString(f.Code) || saysAbsent.MatchString(f.Message))
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }
