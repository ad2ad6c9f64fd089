package worker_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/pubsync/pubsync/connector/internal/harness"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/connector/publication"
)

// A description that is longer than shops take ends with a sentence, and the history says so.
func TestALongDescriptionIsCutAndSaid(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := harness.New(t, sandbox.Options{})
		listing := harness.OneVariant("10.00", "20.00", 5)
		long := "<p>" + strings.Repeat("A <strong>very</strong> long story. ", 3000)
		for lang, text := range listing.Texts {
			text.Description = long
			listing.Texts[lang] = text
		}
		id := b.Market.Add(sandbox.Publication{Listing: listing})[0]
		b.Once(false)
		p, onSale := b.Shop.Get(id)
		if !onSale || len(p.Description) > publication.MaxDescription+len("</p>") ||
			!strings.HasSuffix(p.Description, "story.</p>") {
			t.Errorf(
				"on sale %t, %d bytes that end in %q, want on sale, at most %d bytes and the end %q",
				onSale,
				len(p.Description),
				p.Description[max(0, len(p.Description)-30):],
				publication.MaxDescription+len("</p>"),
				"story.</p>",
			)
		}
		e, err := harness.Explain(b.Store, publication.Rules{}, id)
		if err != nil || len(e.History) == 0 || !strings.Contains(e.History[0].What, "the description is cut from") {
			t.Errorf("%v: the history is %+v, want no error and first that the description is cut", err, e.History)
		}
		if s := b.Once(true); s.Updated != 0 {
			t.Errorf("the next full run updates %d, want 0", s.Updated)
		}
		if err := b.Market.Update(id, func(l *sandbox.Listing) { l.Variants[0].Quantity++ }); err != nil {
			t.Fatal(err)
		}
		b.Once(false)
		if e, err = harness.Explain(b.Store, publication.Rules{}, id); err != nil ||
			e.History[len(e.History)-1].What != "stock of M 5 -> 6: the supplier's stock moved" {
			t.Errorf("%v: the history is %+v, want no error and the move of the stock last", err, e.History)
		}
	})
}
