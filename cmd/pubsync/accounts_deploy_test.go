//go:build unix

// The files of cmd/deploy for many accounts can be used.

package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pubsync/pubsync/store/postgrestest"
)

// The containers of both deployments work on the accounts of a folder, over a database.
func TestTheFilesForReplicasStartAWorker(t *testing.T) {
	e := openEstate(t, "one")
	containers := map[string]map[string]string{"compose": {}, "kubernetes": {}}
	service := at(t, documentsOf(t, "compose/replicas.yaml")[0], "services", "pubsync")
	for name, value := range at(t, service, "environment").(map[string]any) {
		containers["compose"][name] = value.(string)
	}
	pod := at(t, documentsOf(t, "kubernetes-replicas/deployment.yaml")[0], "spec", "template", "spec", "containers", 0)
	for _, v := range at(t, pod, "env").([]any) {
		containers["kubernetes"][at(t, v, "name").(string)] = at(t, v, "value").(string)
	}
	for _, args := range []any{at(t, service, "command"), at(t, pod, "args")} {
		if got := texts(t, args); len(got) != 1 || got[0] != "run" {
			t.Errorf("a container starts %q, want run", got)
		}
	}
	const token = "a-token-of-the-admin-listener"
	for name, env := range containers {
		set := settings{"PUBSYNC_STORE_URL": e.env["PUBSYNC_STORE_URL"], "PUBSYNC_ADMIN_TOKEN": token}
		for variable, value := range env {
			switch file, isFile := strings.CutSuffix(variable, "_FILE"); {
			case isFile:
				value = filepath.Join(t.TempDir(), filepath.Base(value))
				if err := os.WriteFile(value, []byte(set[file]+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				delete(set, file)
			case variable == "PUBSYNC_ACCOUNTS_DIR":
				value = e.folder()
			case strings.HasSuffix(variable, "_LISTEN"):
				if !strings.HasPrefix(value, ":") {
					t.Errorf("%s: %s is %s, want all addresses", name, variable, value)
				}
				value = freePort(t)
			}
			set[variable] = value
		}
		p := launch(t, t.TempDir(), set, "run")
		p.logs("worker started")
		p.signal(sigterm)
		if code := p.code(20 * time.Second); code != 0 {
			t.Errorf("%s: exit %d, want 0: %s", name, code, p.stderr.String())
		}
	}
}

// The role of the replicas is enough for a worker, and can change no table.
func TestTheRoleOfReplicas(t *testing.T) {
	e := openEstate(t, "one")
	if r := e.call("run", "--once"); r.code != 0 {
		t.Fatalf("the first run, as the owner: exit %d, want 0\n%s", r.code, r.stderr)
	}
	psql := func(user string, args ...string) error {
		address := strings.Replace(e.server.URL("pubsync"), "pubsync@", user+"@", 1)
		return exec.Command(filepath.Join(postgrestest.Installed(), "psql"),
			append([]string{"-q", "-v", "ON_ERROR_STOP=1", address}, args...)...).Run()
	}
	if err := psql("pubsync", "-c", "create role superior superuser login"); err != nil {
		t.Fatal(err)
	}
	for _, nth := range []string{"first", "second"} {
		err := psql("superior", "-v", "password=it's", "-f", filepath.Join(deployed, "postgresql/role.sql"))
		if err != nil {
			t.Fatalf("the role cannot be made, a %s time: %v", nth, err)
		}
	}
	if err := psql("pubsync", "-c", "create table pubsync.later (x int)"); err != nil {
		t.Fatal(err)
	}
	if err := psql("pubsync_worker", "-c", "insert into pubsync.later values (1)"); err != nil {
		t.Errorf("the role may not write to a table that a later version makes: %v", err)
	}
	e.set("STORE_URL", strings.Replace(e.server.URL("pubsync"), "pubsync@", "pubsync_worker@", 1))
	e.sites["one"].lamps(1)
	w := e.work()
	e.live("one", 3)
	w.stop()
	for _, sql := range []string{
		"drop table pubsync.kv", "alter table pubsync.kv add x int", "create table pubsync.x (y int)",
		"insert into pubsync.migration select * from pubsync.migration", "create schema other",
	} {
		if psql("pubsync_worker", "-c", sql) == nil {
			t.Errorf("the role of the replicas may %s", sql)
		}
	}
}
