package marketplace

import (
	"errors"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
)

// ReportsDenied is what a report comes to whose token may do everything but report. The
// specification names the rights of products, orders, fulfilment and customers, and none for this.
const ReportsDenied = "the token may not report the status of publications (the specification does not show which " +
	"scope that takes: ask the marketplace for it)"

// denial is err as the refusal of a report alone, nil where it is not about rights. Its caller has
// just read with the same token.
func denial(err error) *Error {
	e, ok := errors.AsType[*Error](err)
	if !ok || !e.Denied && e.Kind != Unauthorized {
		return nil
	}
	return &Error{
		Op: e.Op, Kind: Refused, Status: e.Status, Message: ReportsDenied + ": " + e.Message, Detail: fault.Detail{
			Barred: true,
		},
	}
}

// beside is the denial of a report in a request of which another was taken: then it is this
// publication's own.
func beside(e *Error, taken bool) *Error {
	if taken {
		e.Message, e.Barred = strings.TrimPrefix(e.Message, ReportsDenied+": "), false
	}
	return e
}

// IsDenied reports whether err says that a token may not report.
func IsDenied(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Barred
}
