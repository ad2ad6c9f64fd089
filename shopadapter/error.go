package shopadapter

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

// Errors of a call that did nothing; see Adapter.
var (
	ErrGone   = errors.New("the listing was deleted in the shop")
	ErrHidden = errors.New("the listing was taken out of sale in the shop")
	ErrWhole  = errors.New("the whole product is needed")
	ErrNoList = errors.New("the shop cannot list what it holds")
)

// Kind says who can mend an error.
type Kind int

// The kinds. Transient is the default, since another try loses nothing.
const (
	Transient Kind = iota // time: the call may work later
	Rejected              // the supplier, by changing the product
	Blocked               // the merchant, in the shop or settings
)

func (k Kind) String() string {
	return cmp.Or(map[Kind]string{Rejected: "rejected", Blocked: "blocked"}[k], "transient")
}

// An Error says what went wrong and who can mend it. The merchant reads Message: one sentence on what to do, without
// secrets.
type Error struct {
	Kind       Kind
	Message    string
	ShopWide   bool          // every product meets it: the shop is paused, with one report
	RetryAfter time.Duration // as told by the shop, instead of the backoff; 0: none
	Limited    bool          // too many requests: the pause lasts RetryAfter, whatever Check says
	Err        error         // the cause or nil; shown only if Message is empty
}

func (e *Error) Error() string {
	if e.Message == "" && e.Err != nil {
		return e.Err.Error()
	}
	return e.Message
}

func (e *Error) Unwrap() error { return e.Err }

// Reject returns a Rejected error.
func Reject(format string, args ...any) *Error { return newError(Rejected, format, args) }

// Block returns a Blocked error.
func Block(format string, args ...any) *Error { return newError(Blocked, format, args) }

// Retry returns a Transient error.
func Retry(format string, args ...any) *Error { return newError(Transient, format, args) }

func newError(kind Kind, format string, args []any) *Error {
	err := fmt.Errorf(format, args...)
	return &Error{Kind: kind, Message: err.Error(), Err: errors.Unwrap(err)}
}

// Everywhere sets ShopWide and returns the error.
func (e *Error) Everywhere() *Error {
	e.ShopWide = true
	return e
}

// After sets RetryAfter and returns the error.
func (e *Error) After(d time.Duration) *Error {
	e.RetryAfter = max(d, 0)
	return e
}

// Explain returns the Error in err's chain, or err as a Transient one; nil for nil.
func Explain(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Kind: Transient, Err: err}
}

// SameCurrency returns a shop-wide Blocked error if both currencies are known and differ.
func SameCurrency(shop, marketplace string) error {
	if shop == "" || marketplace == "" || strings.EqualFold(shop, marketplace) {
		return nil
	}
	const unknown = "a currency of no known code" // foreign text is not repeated
	shop, marketplace = cmp.Or(CurrencyCode(shop), unknown), cmp.Or(CurrencyCode(marketplace), unknown)
	return Block("the shop sells in %s and the marketplace's amounts are in %s: nothing is converted, so 10.00 %s "+
		"would be sold for 10.00 %s. Have the shop sell in %s, or set PUBSYNC_MARKETPLACE_CURRENCY if the marketplace's "+
		"amounts are in another currency", shop, marketplace, marketplace, shop, marketplace).Everywhere()
}

var threeLetters = regexp.MustCompile(`^[A-Za-z]{3}$`)

// CurrencyCode returns three letters in upper case, "" for any other text.
func CurrencyCode(text string) string { return strings.ToUpper(threeLetters.FindString(text)) }
