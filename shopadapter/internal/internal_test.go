// Tests of the packages below. They share one binary, since linking one for each takes longer than running them.

package internal_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pubsync/pubsync/shopadapter/internal/amount"
	"github.com/pubsync/pubsync/shopadapter/internal/memo"
	"github.com/pubsync/pubsync/shopadapter/internal/nodeserver"
	"github.com/pubsync/pubsync/shopadapter/internal/slug"
)

func TestAmountParse(t *testing.T) {
	for _, text := range []string{"0", "19.95", "007.10", strings.Repeat("9", 24)} {
		if _, ok := amount.Parse(text); !ok {
			t.Errorf("%q is an amount", text)
		}
	}
	for _, text := range []string{
		"", ".", "1.", ".5", "-1", "+1", "1e3", "1,50", " 1", "1.2.3", "NaN",
		strings.Repeat("9", 25),
	} {
		if d, ok := amount.Parse(text); ok {
			t.Errorf("%q is %s", text, d)
		}
	}
}

func TestAmountsAreTheSame(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"19.95", "19.950", true},
		{"20", "20.00", true},
		{"19.95", "19.96", false},
		{"", "", false},
		{"9007199254740993", "9007199254740992", false},
	} {
		if got := amount.Same(tt.a, tt.b); got != tt.want {
			t.Errorf("%s and %s: %t", tt.a, tt.b, got)
		}
	}
}

func TestMemo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		readings, broken := 0, error(nil)
		m := memo.New(time.Minute, func(context.Context) (int, error) {
			time.Sleep(time.Second)
			readings++
			return readings, broken
		})
		expect := func(step string, fresh bool, want int) {
			t.Helper()
			if got, err := m.Get(t.Context(), fresh); err != nil || got != want {
				t.Errorf("%s: %d, %v, want %d", step, got, err, want)
			}
		}
		expect("the first", false, 1)
		expect("while it is young", false, 1)
		expect("a fresh one", true, 2)
		time.Sleep(time.Minute)
		expect("when it is old", false, 3)
		m.Forget()
		expect("forgotten", false, 4)
		expect("not forgotten again", false, 4)

		broken = errors.New("away")
		if _, err := m.Get(t.Context(), true); !errors.Is(err, broken) {
			t.Errorf("the error is %v", err)
		}
		expect("after a failure the last one counts", false, 4)
	})
}

// All that ask at the same time wait for one reading, and one whose context ends waits no longer.
func TestMemoReadsOnceForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		readings := 0
		m := memo.New(time.Minute, func(context.Context) (int, error) {
			time.Sleep(time.Second)
			readings++
			return readings, nil
		})
		var all sync.WaitGroup
		for range 5 {
			all.Go(func() { _, _ = m.Get(t.Context(), false) })
		}
		all.Go(func() {
			time.Sleep(time.Millisecond)
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			if _, err := m.Get(ctx, false); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("one that ran out of time waits: %v", err)
			}
		})
		all.Wait()
		if readings != 1 {
			t.Errorf("%d readings for five that ask", readings)
		}
	})
}

// A reading that is forgotten while it is under way is made again.
func TestMemoForgetsWhatIsBeingRead(t *testing.T) {
	readings := 0
	var m *memo.Memo[int]
	m = memo.New(time.Minute, func(context.Context) (int, error) {
		if readings++; readings == 1 {
			m.Forget()
		}
		return readings, nil
	})
	_, _ = m.Get(t.Context(), false)
	if got, err := m.Get(t.Context(), false); err != nil || got != 2 {
		t.Errorf("%d, %v", got, err)
	}
}

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

func TestNodeServerStartsAndStops(t *testing.T) {
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

func TestNodeServersThatDoNotStart(t *testing.T) {
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

func TestSlug(t *testing.T) {
	for _, tt := range []struct {
		text      string
		most      int
		of, ascii string
	}{
		{"Grüne Lampe, 40 cm!", 60, "grüne-lampe-40-cm", "gruene-lampe-40-cm"},
		{"  Œuvre -- d'été  ", 60, "œuvre-d-été", "oeuvre-d-ete"},
		{"灯 lamp", 60, "灯-lamp", "lamp"},
		{"!?", 60, "", ""},
		{"", 60, "", ""},
		{strings.Repeat("lamp ", 4), 14, "lamp-lamp-lamp", "lamp-lamp-lamp"},
		{strings.Repeat("lamp ", 4), 13, "lamp-lamp", "lamp-lamp"},
		{"lampshade", 8, "", ""},
	} {
		if of, ascii := slug.Of(tt.text, tt.most), slug.ASCII(tt.text, tt.most); of != tt.of || ascii != tt.ascii {
			t.Errorf("%q, %d: %q and %q, want %q and %q", tt.text, tt.most, of, ascii, tt.of, tt.ascii)
		}
	}
}
