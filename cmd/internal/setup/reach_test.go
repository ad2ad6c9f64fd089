package setup

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/cmd/config"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/fleet"
	"github.com/pubsync/pubsync/store/postgres"
)

// The admin listener of a process is reached by other machines unless it is on loopback.
func TestReachOf(t *testing.T) {
	at := func(text string) net.Addr {
		a, err := net.ResolveTCPAddr("tcp", text)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	for _, test := range []struct {
		name, admin, place string
		file               bool
		want               string
	}{
		{"an address", "192.0.2.7:9464", "postgres://db/x", false, "192.0.2.7:9464"},
		{"loopback", "127.0.0.1:9464", "postgres://db/x", false, ""},
		{"all addresses, a database on this machine", "[::]:9464", "postgres://u:p@127.0.0.1:5432/x", false, ""},
		{"all addresses, a database without a name", "[::]:9464", "postgres:///x?host=/run", false, ""},
		{"a file", "192.0.2.7:9464", "/x", true, ""},
	} {
		c := &Setup{Config: &config.Config{}, engine: storeEngine{file: test.file, place: test.place}}
		if got := c.reachOf(t.Context(), at(test.admin)); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// A command asks the process that has the account on another machine, where that can be reached,
// and says else what to do.
func TestDeskOfAnotherMachine(t *testing.T) {
	for name, test := range map[string]struct{ reach, want, says string }{
		"reached":     {"192.0.2.7:9464", "http://192.0.2.7:9464/accounts/one", ""},
		"not reached": {"", "", "PUBSYNC_ADMIN_LISTEN"},
	} {
		held := owner{PID: 7, Host: "another", Admin: "127.0.0.1:9464", Reach: test.reach, Accounts: true}
		c := &Setup{Config: &config.Config{Account: "one"}, engine: storeEngine{
			owner: func() (owner, error) { return held, nil },
		}}
		d, err := c.deskOfHolder(slog.New(slog.DiscardHandler))
		if got := textOf(err); !strings.Contains(got, test.says) || (got != "") != (test.says != "") {
			t.Errorf("%s: error %q, want %q", name, got, test.says)
		}
		if d != nil && d.Base != test.want {
			t.Errorf("%s: asks %q, want %q", name, d.Base, test.want)
		}
	}
}

func textOf(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// heldBy is a database in which another process has every account.
type heldBy struct {
	database
	o owner
}

func (d heldBy) HolderOf(context.Context, string) (postgres.Holder, error) {
	return postgres.Holder{Owner: d.o.text(), Held: true}, nil
}

// A request for an account of another process is handed on to it once, with the token of the admin
// listener.
func TestForward(t *testing.T) {
	var got *http.Request
	peer := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		w.WriteHeader(http.StatusTeapot)
	}))
	defer peer.Close()
	c := &config.Config{}
	c.AdminToken = "the-token"
	h := &house{
		Setup: &Setup{Config: c}, log: slog.New(slog.DiscardHandler), folder: &fleet.Folder{},
		fleet: fleet.New(fleet.Options{}),
		db:    heldBy{o: owner{PID: 1, Host: hostname(), Admin: peer.Listener.Addr().String()}},
	}
	h.fleet.Set([]fleet.Account{{Name: "one"}})
	h.peers = h.newForwarder()
	ask := func(header, value string) *httptest.ResponseRecorder {
		w, r := httptest.NewRecorder(), httptest.NewRequest(
			http.MethodPost,
			"/accounts/one/api/v1/publications/a%2Fb/retry",
			nil,
		)
		r.Host = "dashboard.example"
		r.Header.Set("Origin", "http://dashboard.example")
		r.Header.Set(header, value)
		h.account(w, r)
		return w
	}
	if w := ask(desk.ActorHeader, "ann"); w.Code != http.StatusTeapot {
		t.Fatalf("%d %s, want the answer of the other process", w.Code, w.Body)
	}
	for name, want := range map[string]string{
		"Authorization": "Bearer the-token", desk.ActorHeader: "ann", forwardedHeader: "true",
		"Origin": "",
	} {
		if got := got.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if want := "/accounts/one/api/v1/publications/a%2Fb/retry"; got.URL.EscapedPath() != want {
		t.Errorf("path %q, want %q", got.URL.EscapedPath(), want)
	}
	if w := ask(forwardedHeader, "true"); w.Code != http.StatusServiceUnavailable {
		t.Errorf("a request that was handed on: %d, want 503", w.Code)
	}
	h.owner = h.db.(heldBy).o
	if w := ask(desk.ActorHeader, "ann"); w.Code != http.StatusServiceUnavailable {
		t.Errorf("an account that this process has had: %d, want 503", w.Code)
	}
	h.owner = owner{}
	peer.Close()
	if w := ask(desk.ActorHeader, "ann"); w.Code != http.StatusBadGateway {
		t.Errorf("a process that is gone: %d, want 502", w.Code)
	}
}
