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
