//go:build unix

// Package postgrestest is what tests of stores stand on: Debian's PostgreSQL, under root as the user postgres, since
// PostgreSQL refuses root; temporary folders in memory; and updates that run twice.
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
)

// A Server is a PostgreSQL on loopback. What it acknowledges outlives a kill of its processes, not a power failure.
type Server struct {
	folder, port string
	attributes   *syscall.SysProcAttr
	keeper       *exec.Cmd
	input        io.Closer // the keeper's
}

// Installed returns the folder of PostgreSQL's programs, or "".
func Installed() string {
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil || len(found) == 0 {
		return ""
	}
	return filepath.Dir(found[len(found)-1])
}

// Need skips a test unless PUBSYNC_TEST_POSTGRES is set, and fails it where no PostgreSQL is installed then.
func Need(t testing.TB) {
	t.Helper()
	if os.Getenv("PUBSYNC_TEST_POSTGRES") == "" {
		t.Skip("it starts a PostgreSQL: PUBSYNC_TEST_POSTGRES=yes runs it")
	}
	if Installed() == "" {
		t.Fatal("no PostgreSQL is installed (Debian's package is postgresql)")
	}
}

// Start starts a server that ends with the test.
func Start(t testing.TB) *Server {
	t.Helper()
	Need(t)
	s, err := Run()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// Run starts a server, which the caller closes. It ends with the process, too.
func Run() (s *Server, err error) {
	s = &Server{port: freePort(), attributes: &syscall.SysProcAttr{Setpgid: true}}
	if s.folder, err = os.MkdirTemp("/tmp", "pubsync-postgres-"); err != nil {
		return nil, err
	}
	if os.Geteuid() == 0 {
		account, err := user.Lookup("postgres")
		if err != nil {
			return nil, err
		}
		uid, _ := strconv.Atoi(account.Uid)
		gid, _ := strconv.Atoi(account.Gid)
		s.attributes.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		if err := os.Chown(s.folder, uid, gid); err != nil {
			return nil, err
		}
	}
	// The end of the test closes the keeper's input, also when the test is killed.
	s.keeper = s.command("sh", "-c", `cat >/dev/null; "$0" stop -D data -m immediate; rm -rf "$PWD"`, program("pg_ctl"))
	if s.input, err = s.keeper.StdinPipe(); err != nil {
		return nil, err
	}
	if err = s.keeper.Start(); err != nil {
		return nil, err
	}
	_, err = s.run("initdb", "-D", "data", "-A", "trust", "-U", "pubsync", "--no-sync", "--no-instructions",
		"--encoding=UTF8", "--locale=C")
	if err == nil {
		err = s.Restart()
	}
	if err != nil {
		s.Close()
	}
	return s, err
}

func program(name string) string { return filepath.Join(Installed(), name) }

func (s *Server) command(name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(context.Background(), name, args...)
	c.SysProcAttr, c.Dir = s.attributes, s.folder
	c.Env = append(
		os.Environ(), "PGHOST=127.0.0.1", "PGPORT="+s.port, "PGUSER=pubsync", "PGOPTIONS=-c search_path=pubsync",
	)
	return c
}

func (s *Server) run(name string, args ...string) (text string, err error) {
	out, err := s.command(program(name), args...).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s: %w: %s", name, err, out)
	}
	return string(out), err
}

// Restart starts the server at its former address.
func (s *Server) Restart() error {
	_, err := s.run("pg_ctl", "start", "-D", "data", "-l", "log", "-w", "-o", "-p "+s.port+" -k "+s.folder+
		" -h 127.0.0.1 -c max_connections=200 -c fsync=off -c full_page_writes=off")
	return err
}

// Stop breaks the connections and ends the server, in the mode "fast" or, as a crash does, "immediate".
func (s *Server) Stop(mode string) error {
	_, err := s.run("pg_ctl", "stop", "-D", "data", "-m", mode, "-w")
	return err
}

// Close ends the server and removes its folder.
func (s *Server) Close() {
	_ = s.input.Close()
	_ = s.keeper.Wait()
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
