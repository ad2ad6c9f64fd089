package postgres_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/pubsync/pubsync/store/postgres"
	"github.com/pubsync/pubsync/store/postgrestest"
)

// Processes that start at the same time on an empty database make its tables once. Tables of another
// version are refused, for reading too, and left as they are.
func TestTables(t *testing.T) {
	t.Parallel()
	server := postgrestest.Start(t)
	const want = "use the pubsync that wrote it, or put it away and begin a new one"
	for _, form := range []int{7, 9} {
		name := fmt.Sprint("form", form)
		address := server.Create(t, name)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				if d, err := postgres.Connect(context.Background(), address); err != nil {
					t.Errorf("got %v from one of several that start at once", err)
				} else {
					d.Close()
				}
			})
		}
		all.Wait()
		server.Ask(t, name, fmt.Sprint("update pubsync.migration set number = ", form))
		for method, open := range map[string]func() error{
			"Connect":  func() error { _, err := postgres.Connect(t.Context(), address); return err },
			"OpenView": func() error { _, err := postgres.OpenView(t.Context(), address, "default"); return err },
		} {
			if err := open(); !strings.Contains(fmt.Sprint(err), want) {
				t.Errorf("%s of the form %d: got %v, want what to do", method, form, err)
			}
		}
	}
}
