package shopadaptertest

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/laws"
)

// What a harness is made of stands in the package laws.
type (
	// Harness is laws.Harness: a shop, and the way to open an adapter over it.
	Harness = laws.Harness
	// Seen is laws.Seen: a product as the shop holds it.
	Seen = laws.Seen
	// SeenVariant is laws.SeenVariant: a variant as the shop holds it.
	SeenVariant = laws.SeenVariant
	// Choice is laws.Choice: what a visitor may choose on a page, and what it leads to.
	Choice = laws.Choice
	// Law is laws.Law: one thing that holds for every shop.
	Law = laws.Law
	// Skip is laws.Skip: the error of a law that was not exercised.
	Skip = laws.Skip
)

// Run holds an adapter to every law, each in a subtest of its own with a fresh harness. With -short
// a fault is tried at one place in twelve.
func Run(t *testing.T, newHarness func(t *testing.T) Harness) {
	t.Helper()
	for _, law := range laws.Book() {
		t.Run(law.ID, func(t *testing.T) {
			h := newHarness(t)
			if testing.Short() {
				h.Stride = max(h.Stride, 12)
			}
			report(t, law, law.Check(t.Context(), h))
		})
	}
}

// report turns the outcome of a check into that of a test.
func report(t interface {
	Skipf(format string, args ...any)
	Errorf(format string, args ...any)
}, law Law, err error,
) {
	var skip *Skip
	switch {
	case errors.As(err, &skip):
		t.Skipf("not exercised: %s", skip.Reason)
	case err != nil:
		t.Errorf("%s\n%v", law.Sentence, err)
	}
}

// Laws lists the laws that an adapter in Go is held to, from the plain to the unlikely. Those of
// the http protocol alone are not among them.
func Laws() []Law {
	return slices.DeleteFunc(laws.Book(), func(l Law) bool { return l.OfProtocol() })
}

// Sample is laws.Sample: a product with the given number of variants, all different.
func Sample(id shopadapter.PublicationID, variants int) shopadapter.Product {
	return laws.Sample(id, variants)
}

// Revise is laws.Revise: p, copied, after the supplier's n-th change.
func Revise(p shopadapter.Product, n int) shopadapter.Product { return laws.Revise(p, n) }

// Image is laws.Image: the address of the n-th picture where the harness has none of its own.
func Image(n int) string { return laws.Image(n) }

// Choices is laws.Choices: what a page offers that finds the variant in the visitor's browser.
func Choices(variants []Choice) []Choice { return laws.Choices(variants) }

// VisitSeen is laws.VisitSeen: the Visit of a fake.
func VisitSeen(
	observe func(ctx context.Context) ([]Seen, error),
) func(context.Context, shopadapter.ListingID) ([]Choice, error) {
	return laws.VisitSeen(observe)
}
