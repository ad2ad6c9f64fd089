package desk

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/store"
)

// A takerOfBackups asks for another copy while it is sent one, and notes what lies beside the store.
type takerOfBackups struct {
	*httptest.ResponseRecorder
	o      *office
	second *httptest.ResponseRecorder
	beside []os.DirEntry
}

func (w *takerOfBackups) Write(p []byte) (n int, err error) {
	w.second = w.o.ask(http.MethodGet, "/api/v1/backup")
	if w.beside, err = os.ReadDir(filepath.Dir(store.PathOf(w.o.store))); err != nil {
		return 0, err
	}
	return w.ResponseRecorder.Write(p)
}

// A copy has no name while it is sent, and there is one at a time.
func TestBackupIsNameless(t *testing.T) {
	o := newOffice(t)
	w := &takerOfBackups{ResponseRecorder: httptest.NewRecorder(), o: o}
	o.handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v1/backup", http.NoBody))
	expect(t, "the status", w.Code, http.StatusOK)
	if w.Body.Len() == 0 {
		t.Fatal("the copy is empty, want the store in it")
	}
	expect(t, "the status of a second one", w.second.Code, http.StatusConflict)
	if len(w.beside) == 0 {
		t.Error("there is no file beside the store, want the store's own at least")
	}
	for _, e := range w.beside {
		if strings.Contains(e.Name(), "backup") {
			t.Errorf("beside the store lies %s, want no copy with a name", e.Name())
		}
	}
}
