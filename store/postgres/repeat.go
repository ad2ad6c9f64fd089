package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"

	"github.com/pubsync/pubsync/store"
)

// The codes of errors. Those that begin with PS are raised by the function expect.
const (
	codeConflict      = "PS001" // a row is not as it was read
	codeFenced        = "PS002"
	codeSerialisation = "40001"
	codeDeadlock      = "40P01"
	codeDiskFull      = "53100"
	codeNoTable       = "42P01"
	codeShutdown      = "57P01"
	codeCrash         = "57P02"
)

// codeOf is the SQLSTATE of an error, "" of one that is not the server's.
func codeOf(err error) string {
	if e := (*pgconn.PgError)(nil); errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// repeatable reports whether a transaction has left no trace, and may succeed when it is run again.
func repeatable(err error) bool {
	switch codeOf(err) {
	case codeConflict, codeSerialisation, codeDeadlock:
		return true
	case "":
		return pgconn.SafeToRetry(err)
	default:
		return false
	}
}

// disconnected reports whether a connection ended before it had the answer. What was sent may have
// happened.
func disconnected(err error) bool {
	switch codeOf(err) {
	case codeShutdown, codeCrash:
		return true
	case "":
		network, dial := (*net.OpError)(nil), (*pgconn.ConnectError)(nil)
		return (errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.As(err, &network)) &&
			!errors.As(err, &dial)
	default:
		return false
	}
}

// repeat runs a transaction until it is not given up, at most for patience.
func repeat(ctx context.Context, transaction func(ctx context.Context) error) error {
	return repeatIf(ctx, repeatable, transaction)
}

// repeatIf runs a transaction again after the errors that again names. The end of ctx changes nothing
// once it has begun: no commit is given up half way.
func repeatIf(ctx context.Context, again func(err error) bool, transaction func(ctx context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	for try := 1; ; try++ {
		err := transaction(bound)
		if err == nil || !again(err) {
			return translate(err)
		}
		select {
		case <-time.After(rand.N(time.Duration(min(try, 50)) * 2 * time.Millisecond)):
		case <-bound.Done():
			return translate(err)
		}
	}
}

// translate gives an error of PostgreSQL the form that callers tell apart. The end of the engine's
// own patience is not that of the caller's context.
func translate(err error) error {
	switch code := codeOf(err); {
	case err == nil:
		return nil
	case code == codeFenced:
		return store.ErrFenced
	case code == codeDiskFull:
		return fmt.Errorf("store: %w: %w", err, syscall.ENOSPC)
	case store.Stopped(err):
		return fmt.Errorf("store: %v", err) //nolint:errorlint // not the caller's context
	case errors.Is(err, puddle.ErrClosedPool):
		return store.ErrClosed
	default:
		return err
	}
}
