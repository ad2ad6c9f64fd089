package setup

import (
	"log/slog"
	"net"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/cmd/config"
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
		c := &Setup{Config: &config.Config{Account: "one"}}
		d, err := c.deskOf(held, slog.New(slog.DiscardHandler))
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
