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
	RetryAfter time.Duration // as the server says, and where it throttles the bucket; 0: none
	Err        error         // the cause

	is     verdict // 0: the server named no error
	own    bool    // about the one field asked for: others need not fail
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

// IsObjection reports whether err, of a request about one publication, is a denial, an objection or unknown.
func IsObjection(err error) bool {
	e := about(err)
	return e.denied || e.is == isUnknown || e.Kind == Invalid
}

// ReportsDenied is the message for a token that may not report.
const ReportsDenied = "the token may not report the status of publications (the specification does not show which " +
	"scope that takes: ask the marketplace for it)"

func (r *Reader) judge(ctx context.Context, q request, a *wire.Answer, lost *wire.Error) *Error {
	e := &Error{Op: q.op, Status: a.Status, RetryAfter: min(a.RetryAfter, longestPause)}
	say := func(v verdict, format string, args ...any) *Error {
		e.is, e.Kind, e.Message = v, kinds[v], r.wire.Clean(fmt.Sprintf(format, args...))
		return e
	}
	if lost != nil && !lost.Unreadable {
		e.Err = ctx.Err()
		return say(isInternal, "%s", lost.Message)
	}
	var data map[string]json.RawMessage
	_ = json.Unmarshal(a.Data, &data) //nolint:errcheck // then nothing of it is there
	executed := false
	for _, value := range data {
		executed = executed || !wire.IsNull(value)
	}
	one, faulty := q.own && q.root != "", len(a.Faults) > 0
	e.own = q.own && faulty
	e.absent = one && faulty && (a.Status < 300 || a.Status == http.StatusNotFound) && wire.IsNull(data[q.root])
	for _, f := range a.Faults {
		e.said += f.Message + "\n" + f.Detail + "\n"
		e.own = e.own && f.Field(0) != "" && (!one || f.Field(0) == q.root)
		e.absent = e.absent && f.Field(0) == q.root && isAbsent(f)
		v := judge(f, q.cursor)
		if v == isUnauthorized && a.Status < 300 && executed {
			v = isUnknown // one field is denied, the token is good
		}
		if e.is == 0 || v < e.is {
			e.denied = v == isUnauthorized && (one || denies(f))
			_ = say(v, "%s", cmp.Or(f.Message, "the marketplace reports an error without a message"))
		}
	}
	switch {
	case e.absent:
		e.Kind = Refused
		return e
	case a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden:
		e.denied = one && a.Status == http.StatusForbidden
		_ = say(isUnauthorized, "the token was refused (HTTP %d)", a.Status)
	case a.Status == http.StatusTooManyRequests || e.is == isThrottled:
		return say(isThrottled, "throttled")
	case a.Status >= 500:
		return say(isInternal, "the marketplace answered HTTP %d", a.Status)
	case faulty:
	case a.Status != http.StatusOK && a.Status != http.StatusCreated:
		return say(isInternal, "the marketplace answered HTTP %d without saying why: is the address right?", a.Status)
	case wire.IsNull(a.Data):
		return say(isInternal, "the answer is not GraphQL, or holds no data")
	case lost != nil:
		return unreadable(q.op, errors.New(strings.TrimPrefix(lost.Message, "the answer cannot be read: ")))
	default:
		return nil
	}
	switch {
	case e.Kind == Unauthorized && e.denied && one:
		e.Kind = Transient // only a 401, or a denied account or list, refuses the token
	case e.Kind == Unauthorized && !e.denied && r.o.Install != "":
		e.Message += ": " + r.o.Install // the app may have been removed
	}
	return e
}

// canSpare reports whether an answer lacks only the listing's product, or part of it, and the request can spare it.
func (q request) canSpare(a *wire.Answer) bool {
	var data struct {
		Publication struct{ Listing json.RawMessage }
	}
	if !q.spare || len(a.Faults) == 0 || a.Status >= 300 ||
		json.Unmarshal(a.Data, &data) != nil || wire.IsNull(data.Publication.Listing) {
		return false // a null within may have taken it away
	}
	return !slices.ContainsFunc(a.Faults, func(f wire.Fault) bool {
		return f.Field(0) != "publication" || f.Field(1) != "listing" || f.Field(2) != "product" ||
			judge(f, false) == isThrottled
	})
}

// unreadable makes the error of a wrong answer; err may be nil.
func unreadable(op string, err error) *Error {
	if err == nil {
		return &Error{Op: op, Message: "the answer does not hold what was asked for", own: true}
	}
	return &Error{Op: op, Message: "the answer cannot be read: " + strings.TrimSpace(err.Error()), Err: err, own: true}
}

var quoted = regexp.MustCompile("[\"'`]([^\"'`]+)[\"'`]")

// names reports whether the server quoted a word, as it does with names that it objects to.
func (e *Error) names(word string) bool {
	return slices.ContainsFunc(quoted.FindAllStringSubmatch(e.said, 50), func(match []string) bool {
		return match[1] == word
	})
}

// A verdict classifies an answer's error. The first of this list counts: trouble inside the server is no answer.
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

// verdicts are tried in this order, the cursor's only on requests with one. Words are in lower case.
var verdicts = []struct {
	is          verdict
	code, words *regexp.Regexp
}{
	{isThrottled, regexp.MustCompile(`THROTTLED|RATE_LIMIT|TOO_MANY_REQUESTS`), regexp.MustCompile(`throttl`)},
	{
		isExpensive, regexp.MustCompile(`MAX_COST|COMPLEXITY`),
		regexp.MustCompile(dear + `.*` + over + `|` + over + `.*` + dear),
	},
	{isThrottled, nil, regexp.MustCompile(`rate limit|too many requests`)},
	{
		isInternal, regexp.MustCompile(`INTERNAL|UNAVAILABLE|TIMEOUT`),
		regexp.MustCompile(`internal|server error|unavailable|time(?:d )?out|try again|temporar|overload|upstream|` +
			`bad gateway|went wrong|un(?:expected|known) error`),
	},
	{
		isUnauthorized, regexp.MustCompile(`UNAUTH|FORBIDDEN|ACCESS_DENIED`),
		regexp.MustCompile(`unauthori|not authori|authenticat|access denied|forbidden|permission|revoked|` +
			`(?:bearer|access|invalid|expired) token|token (?:is invalid|(?:has )?expired)`),
	},
	{isCursor, nil, regexp.MustCompile(`cursor|after`)},
	{
		isInvalid, regexp.MustCompile(`VALIDATION|BAD_USER_INPUT|PARSE_FAILED|INTROSPECTION`),
		regexp.MustCompile(`cannot (?:query|represent)|unknown (?:argument|type|field)|variable|argument|` +
			`expected (?:type|value)|does(?: not|n['’]t) exist|invalid value|not a valid|syntax|parse error|` +
			`is not defined|undefined|must be provided|is required|selection|alias|introspect|__schema|validation`),
	},
}

// judge judges one entry; cursor says whether the request has one.
func judge(f wire.Fault, cursor bool) verdict {
	message := strings.ToLower(f.Message)
	for _, row := range verdicts {
		if (row.is != isCursor || cursor) &&
			(row.code != nil && row.code.MatchString(f.Code) || row.words.MatchString(message)) {
			return row.is
		}
	}
	return isUnknown
}

// denies reports whether an entry about rights is about one field and not about the token.
func denies(f wire.Fault) bool {
	m := strings.ToLower(f.Message)
	return len(f.Path) > 0 && (strings.Contains(m, "scope") ||
		!strings.Contains(m, "token") && !strings.Contains(m, "authentic"))
}

var (
	saysAbsent = regexp.MustCompile(`(?:not|n't|cannot) (?:be )?f(?:ou|i)nd|n[o'’]t exist|no longer exist|no such|` +
		`no publication|unknown publication`)
	absentCode = regexp.MustCompile(`^404$|NOT_?FOUND|NOT_EXIST`)
	ofDocument = regexp.MustCompile(`VALIDATION|PARSE`)
	// its group is empty where that is not the publication
	firstThing = regexp.MustCompile(`(publication|record|resource|entry|entity|object|node|item)|listing|` +
		`translation|categor|variant|image|shipping|product|price|supplier|account|channel|user|retailer|token|field|` +
		`route|page|file|host|server|service|shard|database`)
)

// isAbsent reports whether an entry says that the publication at its path, no other thing, does not exist.
func isAbsent(f wire.Fault) bool {
	m := strings.ToLower(f.Message)
	first := firstThing.FindStringSubmatch(m)
	if len(f.Path) != 1 || judge(f, false) < isInvalid || first != nil && first[1] == "" {
		return false
	}
	return absentCode.MatchString(f.Code) || !ofDocument.MatchString(f.Code) && saysAbsent.MatchString(m)
}
