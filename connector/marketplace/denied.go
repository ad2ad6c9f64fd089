package marketplace

import (
	"errors"
	"strings"

	"github.com/pubsync/pubsync/connector/marketplace/internal/fault"
)

// ReportsDenied is the message for a token that may read but not report. The specification names
// scopes for products, orders, fulfilment and customers, and none for reports.
const ReportsDenied = "the token may not report the status of publications (the specification does not show which " +
	"scope that takes: ask the marketplace for it)"

// denial returns err as a refusal of reports alone, nil where it is not about rights. The caller
// has just read with the same token, so the token itself is good.
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

// beside returns the denial of a report. Where another report of the same request was accepted it
// is about this publication alone.
func beside(e *Error, accepted bool) *Error {
	if accepted {
		e.Message, e.Barred = strings.TrimPrefix(e.Message, ReportsDenied+": "), false
	}
	return e
}

// IsDenied reports whether err says that a token may not report.
func IsDenied(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Barred
}

// ownDenial makes the denial of one publication an error of its own: the token is refused by a 401
// alone, or where account or list are denied.
func ownDenial(err error) error {
	if e, ok := errors.AsType[*Error](err); ok && e.Kind == Unauthorized && e.Status != 401 {
		e.Kind, e.Denied = Transient, true
	}
	return err
}

// IsObjection reports whether err, of a request about one publication, is the marketplace's word
// against that: a denial, an objection to the request, or an error that is none of those known.
func IsObjection(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Denied || e.Odd || e.Kind == Invalid)
}

// IsRights reports whether err is about rights: of the token, or of one publication.
func IsRights(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Denied || e.Kind == Unauthorized)
}
