//go:build unix

// The files of cmd/deploy for many accounts can be used.

package main_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/pubsync/pubsync/store/postgrestest"
)

// The containers of both deployments work on the accounts of a folder, over a database. The role of the replicas
// is enough for a worker, also with tables of a later version, and can change no table.
func TestTheFilesForReplicas(t *testing.T) {
	e := openEstate(t, "one") // the first worker is of the tables' owner
	for _, c := range []container{
		composed(t, "compose/replicas.yaml"), podOf(t, "kubernetes-replicas/deployment.yaml"),
	} {
		c.starts(t, e.env.with("ADMIN_TOKEN", "a-token-of-the-admin-listener"))
	}
	psql := func(want bool, user string, args ...string) {
		t.Helper()
		err := exec.Command(filepath.Join(postgrestest.Installed(), "psql"),
			append([]string{"-q", "-v", "ON_ERROR_STOP=1", e.storeAs(user)}, args...)...).Run()
		if (err == nil) != want {
			t.Errorf("%s: %v gets %v, want it done %t", user, args, err, want)
		}
	}
	psql(true, "pubsync", "-c", "create role superior superuser login")
	for range 2 {
		psql(true, "superior", "-v", "password=it's", "-f", filepath.Join(deployed, "postgresql/role.sql"))
	}
	psql(true, "pubsync", "-c", "create table pubsync.later (x int)")
	psql(true, "pubsync_worker", "-c", "insert into pubsync.later values (1)")
	e.set("STORE_URL", e.storeAs("pubsync_worker"))
	e.sites["one"].lamps(1)
	w := e.work()
	e.live("one", 3)
	w.stop()
	for _, sql := range []string{
		"drop table pubsync.kv", "alter table pubsync.kv add x int", "create table pubsync.x (y int)",
		"insert into pubsync.migration select * from pubsync.migration", "create schema other",
	} {
		psql(false, "pubsync_worker", "-c", sql)
	}
}
