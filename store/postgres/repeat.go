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

	"github.com/pubsync/pubsync/store"
)

// patience bounds one method with its repetitions.
const patience = 15 * time.Second

// The codes of errors.
const (
	codeSerialisation = "40001"
	codeDeadlock      = "40P01"
	codeLockTimeout   = "55P03"
	codeDiskFull      = "53100"
	codeNoTable       = "42P01"
	codeShutdown      = "57P01"
	codeCrash         = "57P02"
	codeStarting      = "57P03"
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
	case codeSerialisation, codeDeadlock, codeLockTimeout, codeStarting:
		return true
	case "":
		return pgconn.SafeToRetry(err)
	default:
		return false
	}
}

// harmless reports whether what only reads, or has not committed, may be run again: also where a
// connection ended before it had the answer.
func harmless(err error) bool {
	switch codeOf(err) {
	case codeShutdown, codeCrash:
		return true
	case "":
		ended := errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.As(err, new(*net.OpError))
		return repeatable(err) || ended && !errors.As(err, new(*pgconn.ConnectError))
	default:
		return repeatable(err)
	}
}

// repeat runs what leaves no trace where it fails until it does not, at most for patience. The end
// of ctx changes nothing once it has begun.
func repeat(ctx context.Context, again func(error) bool, do func(ctx context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	bound, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	for try := 1; ; try++ {
		err := do(bound)
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
	switch {
	case codeOf(err) == codeDiskFull:
		return fmt.Errorf("store: %w: %w", err, syscall.ENOSPC)
	case err != nil && store.Stopped(err):
		return fmt.Errorf("store: %v", err) //nolint:errorlint // not the caller's context
	default:
		return err
	}
}
