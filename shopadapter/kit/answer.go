package kit

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// Unusable is the error of an answer to a GraphQL request, nil for one that holds data. err is the
// client's. words are the shop's for the meanings of a status, and objection judges the errors that
// the answer holds.
func Unusable(got *wire.Answer, err error, words wire.Words, objection func([]wire.Fault) error) error {
	lost, failed := errors.AsType[*wire.Error](err)
	if failed && !lost.Unreadable {
		return &shopadapter.Error{Message: lost.Message, Err: err}
	}
	switch got.Means() {
	case wire.Done, wire.Refused, wire.Unknown: // the body tells more
	default:
		return got.StatusError(words[got.Means()])
	}
	none := len(got.Data) == 0 || string(got.Data) == "null"
	switch {
	case len(got.Faults) > 0:
		return objection(got.Faults)
	case none && !bytes.HasPrefix(bytes.TrimSpace(got.Body), []byte("{")):
		return shopadapter.Retry("the shop's answer is not GraphQL (HTTP %d)", got.Status)
	case none:
		return shopadapter.Retry("the shop's answer holds no data (HTTP %d)", got.Status)
	case failed:
		return shopadapter.Retry("the shop's answer has an unknown form: %w", err)
	}
	return nil
}

// Pause waits for a while, or until ctx ends.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
