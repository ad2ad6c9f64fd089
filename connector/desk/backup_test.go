package desk

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/store"
)

// A takerOfBackups notes the deadlines of its connection, and what lies beside the store while it
// is sent a copy.
type takerOfBackups struct {
	*httptest.ResponseRecorder
	dir       string
	deadlines []time.Duration
	beside    []string
}

func (w *takerOfBackups) SetWriteDeadline(at time.Time) error {
	w.deadlines = append(w.deadlines, time.Until(at))
	return nil
}

func (w *takerOfBackups) Write(p []byte) (int, error) {
	entries, err := os.ReadDir(w.dir)
	for _, e := range entries {
		w.beside = append(w.beside, e.Name())
	}
	if err != nil {
		return 0, err
	}
	time.Sleep(10 * time.Minute) // a slow reader, who takes something each time
	return w.ResponseRecorder.Write(p)
}

// A copy has no name while it is sent, there is one at a time, and a reader that takes nothing is
// given up on.
func TestBackupIsHurriedAndNameless(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := newOffice(t)
		h := o.handler
		request := func() *http.Request { return httptest.NewRequest(http.MethodGet, "/api/v1/backup", nil) }
		w := &takerOfBackups{ResponseRecorder: httptest.NewRecorder(), dir: filepath.Dir(store.PathOf(o.store))}
		done := make(chan struct{})
		go func() {
			defer close(done)
			h.ServeHTTP(w, request())
		}()
		time.Sleep(time.Minute)
		second := httptest.NewRecorder()
		h.ServeHTTP(second, request())
		expect(t, "the status of a second one", second.Code, http.StatusConflict)
		if got := second.Body.String(); !strings.Contains(got, "another backup") {
			t.Errorf("a second one is answered with %q, want the reason", got)
		}
		if err := o.local.Ready(t.Context()); err != nil {
			t.Errorf("ready beside it: %v", err)
		}
		<-done
		expect(t, "the status", w.Code, http.StatusOK)
		expect(t, "Content-Length", w.Header().Get("Content-Length"), strconv.Itoa(w.Body.Len()))
		if w.Body.Len() == 0 {
			t.Error("the copy is empty, want the store in it")
		}
		if len(w.beside) == 0 {
			t.Error("there is no file beside the store, want the store's own at least")
		}
		if slices.ContainsFunc(w.beside, func(name string) bool { return strings.Contains(name, "backup") }) {
			t.Errorf("beside the store lie %q, want no copy with a name", w.beside)
		}
		if len(w.deadlines) == 0 {
			t.Fatal("no deadline was set, want one")
		}
		if got := w.deadlines[0]; got != backupMost {
			t.Errorf("the deadline is in %v, want in %v", got, backupMost)
		}
	})
}
