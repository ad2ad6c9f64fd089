//go:build unix

package postgrestest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// envRequired is the environment variable that makes a test fail which finds no PostgreSQL.
const envRequired = "PUBSYNC_TEST_POSTGRES"

// A Server is a running PostgreSQL of a test's own, on loopback.
type Server struct {
	folder, bin, port string
	durable           bool
	attributes        *syscall.SysProcAttr
	process           *exec.Cmd
	input             *os.File // its end ends the server
}

// patience bounds the wait for a server that starts.
const patience = time.Minute

// Installed is the folder of PostgreSQL's programs, "" where none is installed.
func Installed() string {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return ""
	}
	return filepath.Dir(found[len(found)-1])
}

// Need skips a test where PostgreSQL is not installed, or fails it where PUBSYNC_TEST_POSTGRES is
// set.
func Need(t testing.TB) {
	t.Helper()
	switch {
	case Installed() != "":
	case os.Getenv(envRequired) != "":
		t.Fatalf("no PostgreSQL is installed (Debian's package is postgresql), and %s is set", envRequired)
	default:
		t.Skip("no PostgreSQL is installed (Debian's package is postgresql)")
	}
}

// Start starts a server that ends with the test. What the server acknowledges outlives a kill of
// its process, and where durable is false no more than that.
func Start(t testing.TB, durable bool) *Server {
	t.Helper()
	Need(t)
	s, err := Run(durable)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// Run starts a server for several tests, which the caller closes. PostgreSQL is to be installed.
func Run(durable bool) (*Server, error) {
	s := &Server{bin: Installed(), durable: durable, attributes: &syscall.SysProcAttr{Setpgid: true}}
	var err error
	if s.folder, err = os.MkdirTemp(openFolder(), "pubsync-postgres-"); err != nil {
		return nil, err
	}
	if err = s.initialise(); err == nil {
		if s.port, err = freePort(); err == nil {
			err = s.Restart()
		}
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// openFolder is where temporary folders lie, if every user may enter it. A test of root's may have
// one that only root enters, and PostgreSQL runs as another user.
func openFolder() string {
	dir := os.TempDir()
	if info, err := os.Stat(dir); err == nil && os.Geteuid() == 0 && info.Mode().Perm()&0o001 == 0 {
		return "/tmp"
	}
	return dir
}

// initialise makes the folder of a server.
func (s *Server) initialise() error {
	if os.Geteuid() == 0 {
		account, err := user.Lookup("postgres")
		if err != nil {
			return err
		}
		uid, _ := strconv.Atoi(account.Uid)
		gid, _ := strconv.Atoi(account.Gid)
		s.attributes.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(s.folder, uid, gid); err != nil {
			return err
		}
	}
	made := s.command("initdb", "-D", s.data(), "-A", "trust", "-U", "pubsync", "--no-sync", "--no-instructions",
		"--encoding=UTF8", "--locale=C")
	if text, err := made.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w: %s", err, text)
	}
	return nil
}

func (s *Server) data() string { return filepath.Join(s.folder, "data") }

func (s *Server) command(name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(context.Background(), filepath.Join(s.bin, name), args...)
	c.SysProcAttr, c.Dir = s.attributes, s.folder
	return c
}

// Restart starts the server, after Stop at the address that it had before.
func (s *Server) Restart() error {
	// The shell ends PostgreSQL when its standard input ends, also when the test's process was
	// killed.
	script := `"$@" >>log 2>&1 & pid=$!; cat >/dev/null; kill -INT $pid 2>/dev/null; wait $pid`
	args := []string{
		"-c", script, "sh", filepath.Join(s.bin, "postgres"), "-D", s.data(), "-p", s.port,
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=" + s.folder, "-c", "max_connections=200",
	}
	if !s.durable {
		args = append(args, "-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")
	}
	s.process = exec.CommandContext(context.Background(), "sh", args...)
	s.process.SysProcAttr, s.process.Dir = s.attributes, s.folder
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	s.process.Stdin, s.input = read, write
	err = s.process.Start()
	_ = read.Close()
	if err != nil {
		s.process = nil
		return err
	}
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if s.command("pg_isready", "-q", "-h", "127.0.0.1", "-p", s.port).Run() == nil {
			return nil
		}
	}
	said, _ := os.ReadFile(filepath.Join(s.folder, "log"))
	return fmt.Errorf("PostgreSQL was not ready: %s", said)
}

// Stop ends the server: fast, which breaks its connections, or immediately, as by a crash.
func (s *Server) Stop(immediately bool) error {
	mode := "fast"
	if immediately {
		mode = "immediate"
	}
	if text, err := s.command("pg_ctl", "stop", "-D", s.data(), "-m", mode, "-w").CombinedOutput(); err != nil {
		return fmt.Errorf("pg_ctl: %w: %s", err, text)
	}
	s.end()
	return nil
}

func (s *Server) end() {
	if s.process != nil {
		_ = s.input.Close()
		_ = s.process.Wait()
		s.process = nil
	}
}

// Close ends the server and removes what it holds.
func (s *Server) Close() {
	s.end()
	_ = os.RemoveAll(s.folder)
}

// URL is the address of a database of the server.
func (s *Server) URL(database string) string {
	u := url.URL{Scheme: "postgres", User: url.User("pubsync"), Host: "127.0.0.1:" + s.port, Path: "/" + database}
	return u.String()
}

// Create makes an empty database, and returns its address.
func (s *Server) Create(t testing.TB, database string) string {
	t.Helper()
	made := s.command("createdb", "-h", "127.0.0.1", "-p", s.port, "-U", "pubsync", database)
	if text, err := made.CombinedOutput(); err != nil {
		t.Fatalf("createdb: %v: %s", err, text)
	}
	return s.URL(database)
}

// Ask runs statements in a database as its owner, and returns what they answer, a row a line.
func (s *Server) Ask(t testing.TB, database, statements string) string {
	t.Helper()
	c := s.command("psql", "-h", "127.0.0.1", "-p", s.port, "-U", "pubsync", "-d", database, "-q", "-A", "-t",
		"-v", "ON_ERROR_STOP=1", "-c", statements)
	c.Env = append(os.Environ(), "PGOPTIONS=-c search_path=pubsync")
	text, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("psql: %v: %s", err, text)
	}
	return string(text)
}

// The ports of servers lie below those that the system hands out by itself: another process would
// take one of these between two starts of a server.
const (
	firstPort = 30_000
	lastPort  = 32_700
)

// freePort is a port of loopback that nobody listens on.
func freePort() (string, error) {
	var err error
	for range 100 {
		port := strconv.Itoa(firstPort + rand.IntN(lastPort-firstPort))
		l, inUse := (&net.ListenConfig{}).Listen(context.Background(), "tcp", net.JoinHostPort("127.0.0.1", port))
		if inUse == nil {
			return port, l.Close()
		}
		err = inUse
	}
	return "", err
}
