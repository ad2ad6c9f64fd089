//go:build unix

// Package postgrestest starts a PostgreSQL for a test, from Debian's packages, in a temporary folder.
// PostgreSQL refuses to run as root: a test of root's runs it as the user postgres.
package postgrestest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
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
	folder, port string
	durable      bool
	attributes   *syscall.SysProcAttr
	process      *exec.Cmd
	input        *os.File // its end ends the server
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
func Run(durable bool) (s *Server, err error) {
	s = &Server{durable: durable, attributes: &syscall.SysProcAttr{Setpgid: true}}
	dir := os.TempDir()
	if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o001 == 0 {
		dir = "/tmp" // the user postgres must be able to enter it
	}
	if s.folder, err = os.MkdirTemp(dir, "pubsync-postgres-"); err != nil {
		return nil, err
	}
	if s.port, err = freePort(); err == nil && os.Geteuid() == 0 {
		err = s.leaveRoot()
	}
	if err == nil {
		_, err = s.run("initdb", "-D", s.data(), "-A", "trust", "-U", "pubsync", "--no-sync", "--no-instructions",
			"--encoding=UTF8", "--locale=C")
	}
	if err == nil {
		err = s.Restart()
	}
	if err != nil {
		s.Close()
	}
	return s, err
}

// leaveRoot has the server run as the user postgres.
func (s *Server) leaveRoot() error {
	account, err := user.Lookup("postgres")
	if err != nil {
		return err
	}
	uid, _ := strconv.Atoi(account.Uid)
	gid, _ := strconv.Atoi(account.Gid)
	s.attributes.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	return os.Chown(s.folder, uid, gid)
}

func (s *Server) data() string { return filepath.Join(s.folder, "data") }

// run runs one of PostgreSQL's programs, and returns what it printed.
func (s *Server) run(name string, args ...string) (text string, err error) {
	c := exec.CommandContext(context.Background(), filepath.Join(Installed(), name), args...)
	c.SysProcAttr, c.Dir = s.attributes, s.folder
	c.Env = append(
		os.Environ(), "PGHOST=127.0.0.1", "PGPORT="+s.port, "PGUSER=pubsync", "PGOPTIONS=-c search_path=pubsync",
	)
	out, err := c.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return string(out), err
}

// Restart starts the server, after Stop at the address that it had before.
func (s *Server) Restart() error {
	// The shell ends PostgreSQL when its standard input ends, also when the test's process was
	// killed.
	script := `"$@" >>log 2>&1 & pid=$!; cat >/dev/null; kill -INT $pid 2>/dev/null; wait $pid`
	args := []string{
		"-c", script, "sh", filepath.Join(Installed(), "postgres"), "-D", s.data(), "-p", s.port,
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=" + s.folder, "-c", "max_connections=200",
	}
	if !s.durable {
		args = append(args, "-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")
	}
	c := exec.CommandContext(context.Background(), "sh", args...)
	c.SysProcAttr, c.Dir = s.attributes, s.folder
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	c.Stdin = read
	err = c.Start()
	_ = read.Close()
	if err != nil {
		return err
	}
	s.process, s.input = c, write
	for end := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		if _, err = s.run("pg_isready", "-q"); err == nil || time.Now().After(end) {
			return err
		}
	}
}

// Stop ends the server: fast, which breaks its connections, or immediately, as by a crash.
func (s *Server) Stop(immediately bool) error {
	mode := "fast"
	if immediately {
		mode = "immediate"
	}
	_, err := s.run("pg_ctl", "stop", "-D", s.data(), "-m", mode, "-w")
	if err == nil {
		s.end()
	}
	return err
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
	return "postgres://pubsync@127.0.0.1:" + s.port + "/" + database
}

// Create makes an empty database, and returns its address.
func (s *Server) Create(t testing.TB, database string) string {
	t.Helper()
	if _, err := s.run("createdb", database); err != nil {
		t.Fatal(err)
	}
	return s.URL(database)
}

// Ask runs statements in a database as its owner, and returns what they answer, a row a line.
func (s *Server) Ask(t testing.TB, database, statements string) string {
	t.Helper()
	text, err := s.run("psql", "-d", database, "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", statements)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// freePort is a port of loopback that nobody listens on. It lies below those that the system hands out
// by itself: another process would take one of these between two starts of a server.
func freePort() (port string, err error) {
	for range 100 {
		port = strconv.Itoa(30_000 + rand.IntN(2_700))
		var l net.Listener
		if l, err = (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:"+port); err == nil {
			return port, l.Close()
		}
	}
	return "", err
}
