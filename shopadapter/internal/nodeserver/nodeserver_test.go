package nodeserver_test

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/shopadapter/internal/nodeserver"
)

// run starts a script, and skips the test where there is no Node.
func run(t *testing.T, script string, patience time.Duration) (*nodeserver.Server, error) {
	t.Helper()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("node is not installed, which the servers need")
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "server.cjs"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	return nodeserver.Start(t.Context(), nodeserver.Command{
		Name: "the server", Dir: dir, Script: "server.cjs", Env: []string{"GREETING=good morning"}, Patience: patience,
	})
}

const greeter = `
const server = require('node:http').createServer((_, answer) => answer.end(process.env.GREETING))
server.listen(0, '127.0.0.1', () => {
	console.error('warming up'); console.log('listening on port ' + server.address().port)
})
process.stdin.resume().on('end', () => process.exit(0))
`

func TestStartAndStop(t *testing.T) {
	s, err := run(t, greeter, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 10 * time.Second}
	resp, err := client.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil || string(body) != "good morning" {
		t.Errorf("%q, %v", body, err)
	}
	if out := s.Output(); !strings.Contains(out, "warming up") || !strings.Contains(out, "listening on port") {
		t.Errorf("output: %q", out)
	}
	s.Stop()
	s.Stop()
	if resp, err := client.Get(s.URL); err == nil {
		_ = resp.Body.Close()
		t.Error("the server answers after Stop")
	}
}

func TestServersThatDoNotStart(t *testing.T) {
	for _, tt := range []struct {
		name, script, says string
		patience           time.Duration
	}{
		{
			"one that ends", `console.error('no database'); process.exit(3)`, "ended before it was ready: no database",
			time.Minute,
		},
		{"one that hangs", `process.stdin.resume()`, "was not ready after 1s", time.Second},
		{"one that ignores its end", `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`, "was not ready " +
			"after 1s", time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s, err := run(t, tt.script, tt.patience)
			if s != nil || err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("%v", err)
			}
		})
	}
}
