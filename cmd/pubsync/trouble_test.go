// A damaged or replaced store ends every command and is left as it is. Connections that send nothing do not block
// others. The tests of bolt, engine and listener have the details.

package main_test

import (
	"bytes"
	"cmp"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

func TestADamagedStoreEndsEveryCommandWithExit5AndIsLeftAsItIs(t *testing.T) {
	unraced(t)
	s := open(t, sandbox.Options{})
	s.lamps(20)
	s.set("ADMIN_LISTEN", "off")
	s.imported()
	sound, path := s.storeBytes(), s.env["PUBSYNC_STORE_PATH"]
	corrupt := []string{"corrupt", "put a backup in its place", "pubsync run makes a new one"}
	for _, tt := range []struct {
		name     string
		damaged  []byte
		commands []string
		says     []string
	}{
		{"another file", bytes.Repeat([]byte("not a store "), 2000), []string{"run", "plan", "status"}, corrupt},
		{"a flipped bit in each record", bytes.ReplaceAll(sound, []byte("amp "), []byte("imp ")), []string{
			"run --once --full", "backup copy.db", "doctor",
		}, corrupt},
		{
			name: "one of a newer version", damaged: regexp.MustCompile(`schema\d`).ReplaceAll(sound, []byte("schema9")),
			commands: []string{"run --once"}, says: []string{`store has the form "9", and this pubsync reads `},
		},
	} {
		if err := os.WriteFile(path, tt.damaged, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, command := range tt.commands {
			r := s.ends(5, strings.Fields(command)...)
			said := r.stdout + r.stderr
			if strings.Count(cmp.Or(r.stdout, r.stderr), path) != 1 || strings.Contains(said, "goroutine ") {
				t.Errorf("%s: pubsync %s panics, or does not name the store once: %s", tt.name, command, said)
			}
			for _, want := range tt.says {
				if !strings.Contains(said, want) {
					t.Errorf("%s: pubsync %s does not say %q: %s", tt.name, command, want, said)
				}
			}
			if now := s.storeBytes(); len(now) != len(tt.damaged) || command == "run" && !bytes.Equal(now, tt.damaged) {
				t.Fatalf("%s: pubsync %s changed the file", tt.name, command)
			}
		}
	}
	if left, _ := filepath.Glob(filepath.Join(s.dir, "*copy.db*")); len(left) != 0 {
		t.Errorf("of the backup there is %v", left)
	}
}

// A backup put in the place of the store of a running worker: what the worker would go on to write
// were lost.
func TestAStoreThatIsReplacedEndsTheWorker(t *testing.T) {
	s := open(t, sandbox.Options{})
	id := s.lamps(1)[0]
	w := s.work()
	w.settles(1)
	s.ends(0, "backup", "saved.db")
	if err := os.Rename(filepath.Join(s.dir, "saved.db"), s.env["PUBSYNC_STORE_PATH"]); err != nil {
		t.Fatal(err)
	}
	body := created(id)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.hooks+"/webhooks", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Service-Signature", signature(body))
	if res, err := http.DefaultClient.Do(req); err == nil { // else a write of its own has ended the worker already
		if _ = res.Body.Close(); res.StatusCode != http.StatusServiceUnavailable {
			t.Errorf("a webhook is answered %d, want %d", res.StatusCode, http.StatusServiceUnavailable)
		}
	}
	if code, said := w.code(30*time.Second), w.stderr.String(); code != 5 || !strings.Contains(said, "replaced") ||
		!strings.Contains(said, "start it again") {
		t.Errorf("exit %d, %s", code, said)
	}
	if sum := s.imported(); sum.Created != 0 {
		t.Errorf("the run with the backup: %+v", sum)
	}
}

// TestASiegeKeepsNobodyOut lays siege to both listeners of a worker that may open 512 files, with more
// connections than that leaves room for. Package listener has when each of them is dropped.
func TestASiegeKeepsNobodyOut(t *testing.T) {
	long(t)
	s := open(t, sandbox.Options{})
	w := s.startAs(exec.Command("sh", "-c", `ulimit -n 512 && exec "$0" run`, binary))
	eventually(t, 15*time.Second, "the worker is ready", w.ready)
	const half = "POST /webhooks HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n{"
	for _, address := range []string{w.hooks, w.admin} {
		for i := range 320 {
			conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = conn.Close() })
			if i%2 == 0 {
				_, _ = io.WriteString(conn, half) // it may be sent away already
			}
		}
	}
	id := s.add(lamp(10))
	if status := w.hook("PUBLICATION_CREATED", created(id)); status != http.StatusNoContent {
		t.Fatalf("a webhook was answered with %d, want %d", status, http.StatusNoContent)
	}
	eventually(t, 10*time.Second, "the shop and the marketplace are reached",
		func() bool { return slices.Equal(s.reported(id), []string{"success"}) })
	if res, _ := w.ask("GET", "/api/v1/status", "", nil); res.StatusCode != http.StatusOK {
		t.Errorf("status: %s", res.Status)
	}
	w.stop()
}
