//go:build unix

// Package postgrestest runs Debian's PostgreSQL for tests, under root as the user postgres, since PostgreSQL
// refuses root.
package postgrestest

import (
	"context"
	"fmt"
	"io"
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

// A Server is a PostgreSQL on loopback.
type Server struct {
	folder, port string
	durable      bool
	attributes   *syscall.SysProcAttr
	process      *exec.Cmd
	input        io.Closer // its end ends the server
}

// Installed returns the folder of PostgreSQL's programs, or "".
func Installed() string {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return ""
	}
	return filepath.Dir(found[len(found)-1])
}

// Wanted reports whether tests shall start a PostgreSQL.
func Wanted() bool { return os.Getenv("PUBSYNC_TEST_POSTGRES") != "" }

// Need skips a test unless PUBSYNC_TEST_POSTGRES is set, and fails it where no PostgreSQL is installed then.
func Need(t testing.TB) {
	t.Helper()
	if !Wanted() {
		t.Skip("it starts a PostgreSQL: PUBSYNC_TEST_POSTGRES=yes runs it")
	}
	if Installed() == "" {
		t.Fatal("no PostgreSQL is installed (Debian's package is postgresql)")
	}
}

// Start starts a server that ends with the test. Unless durable, what it acknowledges outlives only a kill of its
// process.
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

// Run starts a server, which the caller closes.
func Run(durable bool) (s *Server, err error) {
	s = &Server{durable: durable, port: freePort(), attributes: &syscall.SysProcAttr{Setpgid: true}}
	if s.folder, err = os.MkdirTemp("/tmp", "pubsync-postgres-"); err == nil && os.Geteuid() == 0 {
		var account *user.User
		if account, err = user.Lookup("postgres"); err == nil {
			uid, _ := strconv.Atoi(account.Uid)
			gid, _ := strconv.Atoi(account.Gid)
			s.attributes.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
			err = os.Chown(s.folder, uid, gid)
		}
	}
	if err == nil {
		_, err = s.run("initdb", "-D", "data", "-A", "trust", "-U", "pubsync", "--no-sync", "--no-instructions",
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

func (s *Server) command(name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(context.Background(), name, args...)
	c.SysProcAttr, c.Dir = s.attributes, s.folder
	c.Env = append(
		os.Environ(), "PGHOST=127.0.0.1", "PGPORT="+s.port, "PGUSER=pubsync", "PGOPTIONS=-c search_path=pubsync",
	)
	return c
}

func (s *Server) run(name string, args ...string) (text string, err error) {
	out, err := s.command(filepath.Join(Installed(), name), args...).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return string(out), err
}

// Restart starts the server at its former address.
func (s *Server) Restart() (err error) {
	// The shell ends PostgreSQL with its input, also when the test was killed.
	script := `"$@" >>log 2>&1 & pid=$!; cat >/dev/null; kill -INT $pid 2>/dev/null; wait $pid`
	args := []string{
		"-c", script, "sh", filepath.Join(Installed(), "postgres"), "-D", "data", "-p", s.port,
		"-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=" + s.folder, "-c", "max_connections=200",
	}
	if !s.durable {
		args = append(args, "-c", "fsync=off", "-c", "synchronous_commit=off", "-c", "full_page_writes=off")
	}
	c := s.command("sh", args...)
	if s.input, err = c.StdinPipe(); err != nil {
		return err
	}
	if err := c.Start(); err != nil {
		return err
	}
	s.process = c
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if _, err = s.run("pg_isready", "-q"); err == nil || time.Now().After(end) {
			return err
		}
	}
}

// Stop breaks the connections and ends the server, with immediately as a crash does.
func (s *Server) Stop(immediately bool) error {
	mode := "fast"
	if immediately {
		mode = "immediate"
	}
	_, err := s.run("pg_ctl", "stop", "-D", "data", "-m", mode, "-w")
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

// Close ends the server and removes its folder.
func (s *Server) Close() {
	s.end()
	_ = os.RemoveAll(s.folder)
}

// Create makes a database, and returns its address.
func (s *Server) Create(t testing.TB, database string) string {
	t.Helper()
	if _, err := s.run("createdb", database); err != nil {
		t.Fatal(err)
	}
	return "postgres://pubsync@127.0.0.1:" + s.port + "/" + database
}

// Ask runs statements and returns the answer, a row a line.
func (s *Server) Ask(t testing.TB, database, statements string) string {
	t.Helper()
	text, err := s.run("psql", "-d", database, "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-c", statements)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// freePort stays below the ports that the system hands out, which others may take between starts.
func freePort() string {
	for {
		port := strconv.Itoa(30_000 + rand.IntN(2_700))
		if l, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", "127.0.0.1:"+port); err == nil {
			_ = l.Close()
			return port
		}
	}
}
