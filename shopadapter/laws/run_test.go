package laws_test

import (
	"errors"
	"testing"

	"github.com/pubsync/pubsync/shopadapter/laws"
)

// hold holds a harness to every law, each in a subtest of its own.
func hold(t *testing.T, newHarness func() laws.Harness) {
	t.Helper()
	for _, law := range laws.Book() {
		t.Run(law.ID, func(t *testing.T) {
			err := law.Check(t.Context(), newHarness())
			var skip *laws.Skip
			if errors.As(err, &skip) {
				t.Skip(skip.Reason)
			}
			if err != nil {
				t.Errorf("%s\n%v", law.Sentence, err)
			}
		})
	}
}
