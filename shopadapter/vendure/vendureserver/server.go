package vendureserver

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// EnvDir is the environment variable that names the folder in which the fixture is installed.
const EnvDir = "PUBSYNC_TEST_VENDURE"

// Options vary the shop that Start boots.
type Options struct {
	WithoutCustomFields bool   // as a Vendure is before its owner has added pubsync's lines
	TokenMethod         string // authOptions.tokenMethod, joined by commas; "" is bearer,cookie
}

// A Server is a running Vendure.
type Server struct {
	URL      string // its origin, http://127.0.0.1:port
	Username string // the superadmin's
	Password string

	process *exec.Cmd
	output  *tail
	ended   chan struct{} // closed when the process has ended
}

// startPatience is how long a Vendure may take to be ready. It takes three seconds on an idle machine.
const startPatience = 2 * time.Minute

// Start boots the Vendure installed in dir and sets its shop up. Stop ends it; so does the end of ctx.
func Start(ctx context.Context, dir string, o Options) (*Server, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("start vendure: %w", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "@vendure", "core")); err != nil {
		return nil, fmt.Errorf("no Vendure is installed in %s (shopadapter/vendure/e2e/install.sh does): %w", dir, err)
	}
	s := &Server{Username: "owner", Password: "owner-" + rand.Text(), output: &tail{}, ended: make(chan struct{})}
	s.process = exec.CommandContext(ctx, "node", filepath.Join(dir, "shop.cjs"))
	s.process.Dir = dir
	s.process.Env = append(os.Environ(),
		"NODE_ENV=test", "VENDURE_DISABLE_TELEMETRY=1", "SHOP_USERNAME="+s.Username, "SHOP_PASSWORD="+s.Password, "SHOP_TOKEN_METHOD="+o.TokenMethod)
	if o.WithoutCustomFields {
		s.process.Env = append(s.process.Env, "SHOP_WITHOUT_CUSTOM_FIELDS=1")
	}
	ownGroup(s.process)
	s.process.Cancel = func() error { return endGroup(s.process.Process, true) }
	s.process.WaitDelay = 5 * time.Second
	// The fixture ends when its standard input does, which covers a test binary that was killed and could not stop anything.
	if _, err := s.process.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start vendure: %w", err)
	}
	reader, writer := io.Pipe()
	s.process.Stdout, s.process.Stderr = writer, s.output
	if err := s.process.Start(); err != nil {
		return nil, fmt.Errorf("start vendure: %w", err)
	}
	go func() {
		defer close(s.ended)
		_ = s.process.Wait()
		_ = writer.Close()
	}()
	port := make(chan string, 1)
	go readPort(io.TeeReader(reader, s.output), port)
	select {
	case number, ok := <-port:
		if !ok {
			s.Stop()
			return nil, fmt.Errorf("vendure ended before it was ready: %s", s.output)
		}
		s.URL = "http://127.0.0.1:" + number
	case <-time.After(startPatience):
		s.Stop()
		return nil, fmt.Errorf("vendure was not ready after %s: %s", startPatience, s.output)
	case <-ctx.Done():
		s.Stop()
		return nil, ctx.Err()
	}
	if err := s.setUp(ctx); err != nil {
		s.Stop()
		return nil, fmt.Errorf("set up the shop: %w", err)
	}
	return s, nil
}

// readPort sends the port that the fixture prints, and drains what follows. The channel is closed when the output ends without one.
func readPort(output io.Reader, port chan<- string) {
	defer close(port)
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		if number, ok := strings.CutPrefix(lines.Text(), "listening on port "); ok {
			port <- number
			break
		}
	}
	_, _ = io.Copy(io.Discard, output)
}

// Stop ends the server's process group and waits for it. Calling it again does nothing.
func (s *Server) Stop() {
	select {
	case <-s.ended:
		return
	default:
	}
	_ = endGroup(s.process.Process, false)
	select {
	case <-s.ended:
	case <-time.After(5 * time.Second):
		_ = endGroup(s.process.Process, true)
		<-s.ended
	}
}

// Output is the end of what the server printed.
func (s *Server) Output() string { return s.output.String() }

// setUp makes what a new Vendure lacks for selling.
func (s *Server) setUp(ctx context.Context) error {
	office := s.Backoffice()
	var zone struct {
		CreateZone struct {
			ID string `json:"id"`
		} `json:"createZone"`
	}
	if err := office.Query(ctx, `mutation { createZone(input: { name: "Europe" }) { id } }`, nil, &zone); err != nil {
		return err
	}
	variables := map[string]any{"zone": zone.CreateZone.ID}
	for _, step := range []string{
		`mutation { updateGlobalSettings(input: { availableLanguages: [en, nl, de] }) { __typename } }`,
		`mutation ($zone: ID!) { updateChannel(input: { id: "1", defaultTaxZoneId: $zone, defaultShippingZoneId: $zone, pricesIncludeTax: true,
			availableLanguageCodes: [en, nl], defaultCurrencyCode: EUR }) { __typename ... on ErrorResult { message } } }`,
		`mutation { createTaxCategory(input: { name: "Standard", isDefault: true }) { id } }`,
		`mutation ($zone: ID!) { createTaxRate(input: { name: "Standard", enabled: true, value: 21, categoryId: "1", zoneId: $zone }) { id } }`,
	} {
		if err := office.Query(ctx, step, variables, nil); err != nil {
			return err
		}
	}
	return nil
}

// Backoffice is the owner's side of this shop.
func (s *Server) Backoffice() *Backoffice {
	return NewBackoffice(s.URL+"/admin-api", s.Username, s.Password, nil)
}

// A tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text bytes.Buffer
}

const tailSize = 8 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.Write(p)
	if over := t.text.Len() - tailSize; over > 0 {
		t.text.Next(over)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}

var errNoLogin = errors.New("the shop gave no session")
