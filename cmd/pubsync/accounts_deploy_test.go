//go:build unix

// The files of cmd/deploy for many accounts can be used.

package main_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pubsync/pubsync/store/postgrestest"
)

// The containers of both deployments work on the accounts of a folder, over a database.
func TestTheFilesForReplicasStartAWorker(t *testing.T) {
	e := openEstate(t, "one")
	for _, c := range []container{
		composed(t, "compose/replicas.yaml"), podOf(t, "kubernetes-replicas/deployment.yaml"),
	} {
		c.starts(t, e.env.with("ADMIN_TOKEN", "a-token-of-the-admin-listener"))
	}
}

// The role of the replicas is enough for a worker, and can change no table.
func TestTheRoleOfReplicas(t *testing.T) {
	e := openEstate(t, "one")
	if r := e.call("run", "--once"); r.code != 0 {
		t.Fatalf("the first run, as the owner: exit %d, want 0\n%s", r.code, r.stderr)
	}
	psql := func(user string, args ...string) error {
		return exec.Command(filepath.Join(postgrestest.Installed(), "psql"),
			append([]string{"-q", "-v", "ON_ERROR_STOP=1", e.storeAs(user)}, args...)...).Run()
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
	e.set("STORE_URL", e.storeAs("pubsync_worker"))
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
