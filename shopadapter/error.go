package shopadapter

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// The ends of a call that did nothing: see Adapter.
var (
	ErrGone   = errors.New("the listing was deleted in the shop")           // by somebody else
	ErrHidden = errors.New("the listing was taken out of sale in the shop") // likewise
	ErrWhole  = errors.New("the whole product is needed")
	ErrNoList = errors.New("the shop cannot list what it holds")
)

// Kind says who can mend an error.
type Kind int

// The kinds of error. One without a kind is Transient: to try again loses nothing.
const (
	Transient Kind = iota // time: the same call may work later
	Rejected              // the supplier, by changing the product
	Blocked               // the merchant, in the shop or in the settings
)

func (k Kind) String() string {
	return cmp.Or(map[Kind]string{Rejected: "rejected", Blocked: "blocked"}[k], "transient")
}

// An Error is what went wrong and who can mend it. Message is shown to the merchant: one sentence
// that says what to do, without a secret in it.
type Error struct {
	Kind       Kind
	Message    string
	ShopWide   bool          // true for every product: the whole shop is paused, with one report
	RetryAfter time.Duration // the shop's own word on when to come back; it wins over the backoff. 0: none
	Err        error         // the cause, may be nil; its text is shown only where Message is empty
}

func (e *Error) Error() string {
	if e.Message == "" && e.Err != nil {
		return e.Err.Error()
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// Reject is an error that the supplier mends.
func Reject(format string, args ...any) *Error { return newError(Rejected, format, args) }

// Block is an error that the merchant mends.
func Block(format string, args ...any) *Error { return newError(Blocked, format, args) }

// Retry is an error that time mends.
func Retry(format string, args ...any) *Error { return newError(Transient, format, args) }

func newError(kind Kind, format string, args []any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Message: err.Error(), Err: errors.Unwrap(err)}
}

// Everywhere marks the error as one that every product would meet, and returns it.
func (e *Error) Everywhere() *Error {
	e.ShopWide = true
	return e
}

// After sets the shop's own word on when to come back, and returns the error.
func (e *Error) After(d time.Duration) *Error {
	e.RetryAfter = max(d, 0)
	return e
}

// Explain is the Error in err's chain, or err as a transient one. It is nil for nil.
func Explain(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Kind: Transient, Err: err}
}

// SameCurrency is nil where a shop's currency is the marketplace's, or one of them is not known.
// Otherwise it is an error of kind Blocked, shop-wide, that says what to do.
func SameCurrency(shop, marketplace string) error {
	if shop == "" || marketplace == "" || strings.EqualFold(shop, marketplace) {
		return nil
	}
	const unknown = "a currency of no known code" // a shop's word is foreign text, and is not repeated
	shop, marketplace = cmp.Or(CurrencyCode(shop), unknown), cmp.Or(CurrencyCode(marketplace), unknown)
	return Block("the shop sells in %s and the marketplace's amounts are in %s: nothing is converted, so 10.00 %s "+
		"would be sold for 10.00 %s. Have the shop sell in %s, or set PUBSYNC_MARKETPLACE_CURRENCY if the marketplace's "+
		"amounts are in another currency", shop, marketplace, marketplace, shop, marketplace).Everywhere()
}

var threeLetters = regexp.MustCompile(`^[A-Za-z]{3}$`)

// CurrencyCode is a text as an ISO 4217 code in upper case, "" where it has not the form of one.
func CurrencyCode(text string) string { return strings.ToUpper(threeLetters.FindString(text)) }
