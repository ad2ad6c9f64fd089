package laws

import (
	"context"
	"errors"
	"flag"
)

// A Test is a *testing.T. Its package is not imported, so that no program links it.
type Test[T any] interface {
	Context() context.Context
	Helper()
	Run(name string, test func(T)) bool
	reporter
}

type reporter interface {
	Skipf(format string, args ...any)
	Errorf(format string, args ...any)
}

// shortStride is the distance of faults with -short.
const shortStride = 12

// Run holds an adapter to every law, each in a subtest of its own with a fresh harness. With -short
// a fault is tried at one place in twelve.
func Run[T Test[T]](t T, newHarness func(t T) Harness) {
	t.Helper()
	short := flag.Lookup("test.short")
	for _, law := range Book() {
		t.Run(law.ID, func(t T) {
			h := newHarness(t)
			if short != nil && short.Value.String() == "true" {
				h.Stride = max(h.Stride, shortStride)
			}
			report(t, law, law.Check(t.Context(), h))
		})
	}
}

// report turns the outcome of a check into that of a test.
func report(t reporter, law Law, err error) {
	var skip *Skip
	switch {
	case errors.As(err, &skip):
		t.Skipf("not exercised: %s", skip.Reason)
	case err != nil:
		t.Errorf("%s\n%v", law.Sentence, err)
	}
}
