package setup

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/pubsync/pubsync/store"
)

// A store that is half a copy is not copied: the other would count as whole.
func TestHalfACopyIsNotCopied(t *testing.T) {
	from := filepath.Join(t.TempDir(), "half.db")
	s, err := setupAt(from, "").open()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.SetMeta(t.Context(), "copying", "begun"), s.Close()); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "to.db")
	if _, err := CopyStore(t.Context(), from, to, ""); !errors.Is(err, store.ErrHalf) {
		t.Errorf("got %v, want %v", err, store.ErrHalf)
	}
	if !setupAt(to, "").StoreMissing() {
		t.Error("a copy is there, want none")
	}
}
