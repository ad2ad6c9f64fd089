package setup

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/fleet"
	"github.com/pubsync/pubsync/store"
)

// free leases are given to everybody.
type free struct{ fleet.Leases }

func (free) Renew(context.Context, ...*store.Lease) error         { return nil }
func (free) Release(context.Context, ...*store.Lease) error       { return nil }
func (free) Leave(context.Context, string) error                  { return nil }
func (free) Join(context.Context, string) (map[string]int, error) { return map[string]int{}, nil }
func (free) Claim(_ context.Context, _ string, _ int, names ...string) (all []*store.Lease, err error) {
	for _, name := range names {
		all = append(all, store.NewLease(name, 1, time.Now(), time.Hour))
	}
	return all, nil
}

// An account that is this process's, and that the listeners do not serve yet, is starting: a
// request for it says so, and that it is to be made again.
func TestAnAccountThatStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &house{log: slog.New(slog.DiscardHandler), folder: &fleet.Folder{
			List: func() (map[string]string, error) { return map[string]string{}, nil },
		}}
		work := func(ctx context.Context, a fleet.Account, _ *store.Lease) error {
			if a.Name == "broken" {
				return errors.New("PUBSYNC_PRICE_ADD: no number")
			}
			<-ctx.Done()
			return nil
		}
		h.fleet = fleet.New(fleet.Options{Leases: free{}, Log: h.log, Work: work})
		h.fleet.Set([]fleet.Account{{Name: "slow", Version: "1"}, {Name: "broken", Version: "1"}})
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go h.fleet.Run(ctx)
		watching, unwatch := context.WithCancel(t.Context())
		go h.folder.Watch(watching, func([]fleet.Account) {}, func(error) {})
		synctest.Wait()
		unwatch()
		for name, want := range map[string]struct {
			code     int
			starting bool
			text     string
		}{
			"slow": {503, true, "the account is starting"}, "broken": {503, false, "PUBSYNC_PRICE_ADD"},
			"nobody": {404, false, "no such account"},
		} {
			w := httptest.NewRecorder()
			h.account(w, httptest.NewRequest(http.MethodGet, "/accounts/"+name+"/api/v1/status", nil))
			if w.Code != want.code {
				t.Errorf("%s: %d, want %d", name, w.Code, want.code)
			}
			if got := w.Header().Get(desk.StartingHeader) != ""; got != want.starting {
				t.Errorf("%s: the answer says that the account is starting: %t, want %t", name, got, want.starting)
			}
			if !strings.Contains(w.Body.String(), want.text) {
				t.Errorf("%s: %q, want %q", name, w.Body, want.text)
			}
		}
		for _, row := range h.ours(t.Context()) {
			if want := map[string]string{"slow": starting, "broken": fleet.Faulty}[row.Name]; row.State != want {
				t.Errorf("%s is %q in the list, want %q", row.Name, row.State, want)
			}
		}
		stop()
		synctest.Wait()
	})
}
