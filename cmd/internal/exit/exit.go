// Package exit has the exit code for each error.
package exit

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/desk"
)

// Exit codes that a desk does not know.
const (
	Broken      = 1   // a broken law, or an error without a code
	Interrupted = 130 // by a second signal
)

// Usage returns the error of a wrong command line.
func Usage(format string, args ...any) error {
	why := fmt.Errorf(format, args...)
	return &desk.Error{Exit: desk.ExitUsage, Err: fmt.Errorf("wrong usage: %w (pubsync --help)", why)}
}

// With returns an error without a text, nil for desk.ExitOK.
func With(code int) error {
	if code == desk.ExitOK {
		return nil
	}
	return &desk.Error{Exit: code}
}

// CodeOf returns an error's exit code.
func CodeOf(err error) int {
	if e, coded := errors.AsType[*desk.Error](err); coded {
		return e.Exit
	} else if err != nil {
		return Broken
	}
	return desk.ExitOK
}

// Tell prints an error and returns its exit code.
func Tell(err error, stderr io.Writer) int {
	if text := Text(err); text != "" {
		fmt.Fprintln(stderr, "pubsync:", say.HarmlessLines(text))
	}
	return CodeOf(err)
}

// Text returns what an error says, "" if the output has said all.
func Text(err error) string {
	if e, coded := errors.AsType[*desk.Error](err); err == nil || coded && e.Err == nil {
		return ""
	}
	return err.Error()
}

// order has the most serious code last.
var order = []int{desk.ExitOK, Broken, desk.ExitShop, desk.ExitMarketplace, desk.ExitStore, desk.ExitUsage}

// Worst returns the most serious exit code.
func Worst(errs ...error) (code int) {
	for _, err := range errs {
		code = order[max(slices.Index(order, code), slices.Index(order, CodeOf(err)))]
	}
	return code
}
