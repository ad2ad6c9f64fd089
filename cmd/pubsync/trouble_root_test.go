//go:build unix

// The binary runs where there is nothing but itself.

package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// staticVar names a static build of the program. Building one here would compile the standard
// library a second time, without cgo.
const staticVar = "PUBSYNC_TEST_STATIC"

// static is a static build of the program: the one that staticVar names, or the program under test
// where this machine has no C compiler.
func static(t *testing.T) string {
	t.Helper()
	if path := os.Getenv(staticVar); path != "" {
		return path
	}
	info, ok := debug.ReadBuildInfo() // the program under test is built as this test is
	if !ok || !slices.Contains(info.Settings, debug.BuildSetting{Key: "CGO_ENABLED", Value: "0"}) {
		t.Skipf("the program under test is linked dynamically: set %s to a static build, as .ci/run does", staticVar)
	}
	return binary
}

// TestTheBinaryRunsInAnEmptyRoot runs it where there is nothing but itself: no libraries, no time
// zones, no users, no temporary folder.
func TestTheBinaryRunsInAnEmptyRoot(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("changing the root takes root")
	}
	static := static(t)
	root := t.TempDir()
	data, err := os.ReadFile(static)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "pubsync"), data, 0o755); err != nil {
		t.Fatal(err)
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	zones, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(goroot)), "lib", "time", "zoneinfo.zip"))
	if err != nil {
		t.Fatal(err)
	}
	//nolint:gosec // as in the image
	if err := os.WriteFile(filepath.Join(root, "zoneinfo.zip"), zones, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "data"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(root, "data"), 0o777); err != nil { //nolint:gosec // the volume of whoever runs it
		t.Fatal(err)
	}
	const nonroot = 65532
	inside := func(env []string, args ...string) (string, error) {
		cmd := exec.Command("/pubsync", args...)
		cmd.Dir, cmd.Env = "/data", env
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Chroot:     root,
			Credential: &syscall.Credential{Uid: nonroot, Gid: nonroot},
		}
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		err := cmd.Run()
		return out.String(), err
	}
	out, err := inside(nil, "version")
	if os.IsPermission(err) {
		t.Skip("this machine does not let root change the root")
	}
	if err != nil || !strings.HasPrefix(out, "pubsync ") {
		t.Errorf("version: %v, %s", err, out)
	}
	if out, err := inside([]string{
		"TMPDIR=/data", "PUBSYNC_CATALOG_DIR=/data/catalog", "ZONEINFO=/zoneinfo.zip",
		"PUBSYNC_SWEEP_SCHEDULE=CRON_TZ=Europe/Amsterdam 0 3 * * *",
	}, "demo", "--once"); err != nil {
		t.Errorf("demo --once: %v, %s", err, tail(out))
	}
	if _, err := os.Stat(filepath.Join(root, "data", "catalog", "index.html")); err != nil {
		t.Error(err)
	}
}
