package setup

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/cmd/config"
)

// Where the process that has the account runs on another machine, a command asks the replica of this
// one, and says else what to do.
func TestDeskOfAnotherMachine(t *testing.T) {
	for name, test := range map[string]struct {
		accounts   bool
		want, says string
	}{
		"of several replicas": {true, "http://127.0.0.1:9464/accounts/one", ""},
		"the only process":    {false, "", "run the command there"},
	} {
		held := owner{PID: 7, Host: "another", Admin: "127.0.0.1:1", Accounts: test.accounts}
		c := &Setup{Config: &config.Config{Account: "one"}}
		c.AdminListen = ":9464"
		d, err := c.deskOf(held, slog.New(slog.DiscardHandler))
		if (err != nil) != (test.says != "") || err != nil && !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: error %v, want %q", name, err, test.says)
		}
		if d != nil && d.Base != test.want {
			t.Errorf("%s: asks %q, want %q", name, d.Base, test.want)
		}
	}
}
