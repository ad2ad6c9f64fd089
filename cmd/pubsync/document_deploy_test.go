// The files in cmd/deploy can be used: each is read here, and what it starts is started.

package main_test

import (
	"bytes"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
)

const deployed = "../deploy"

// A deployment is what is read of a file of Compose, or of the first document of one of Kubernetes.
type deployment struct {
	Services map[string]struct {
		Command     []string
		Environment settings
	}
	Spec struct {
		Replicas int
		Template struct {
			Spec struct {
				Containers []struct {
					Args                         []string
					Env                          []struct{ Name, Value string }
					Ports                        []struct{ Name string }
					StartupProbe, ReadinessProbe probe
					LivenessProbe                probe
				}
			}
		}
	}
}

type probe struct{ HTTPGet struct{ Path, Port string } }

func read(t *testing.T, file string) (d deployment) {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(deployed, file))
	if err != nil {
		t.Fatal(err)
	}
	var document any // whose names are matched as those of JSON are
	if err = yaml.NewDecoder(bytes.NewReader(data)).Decode(&document); err == nil {
		if data, err = json.Marshal(document); err == nil {
			err = json.Unmarshal(data, &d)
		}
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return d
}

// A container of a deployment: what it starts, and its settings.
type container struct {
	args []string
	env  settings
}

func composed(t *testing.T, file string) container {
	t.Helper()
	service := read(t, file).Services["pubsync"]
	return container{service.Command, service.Environment}
}

// podOf is the container of a workload of Kubernetes, whose probes ask what there is.
func podOf(t *testing.T, file string) container {
	t.Helper()
	p := read(t, file).Spec.Template.Spec.Containers[0]
	env, ports := settings{}, map[string]bool{}
	for _, v := range p.Env {
		env[v.Name] = v.Value
	}
	for _, v := range p.Ports {
		ports[v.Name] = true
	}
	for asked, path := range map[probe]string{
		p.StartupProbe: "/readyz", p.ReadinessProbe: "/readyz", p.LivenessProbe: "/livez",
	} {
		if asked.HTTPGet.Path != path || !ports[asked.HTTPGet.Port] {
			t.Errorf("%s: a probe asks %+v, want %s at a port of the container", file, asked, path)
		}
	}
	return container{p.Args, env}
}

// starts starts the program as a container does, with what a test sets in the place of files and
// addresses, and has it begin its work.
func (c container) starts(t *testing.T, set settings) {
	t.Helper()
	file := func(text string) (path string) {
		path = filepath.Join(t.TempDir(), "file")
		if err := writeFile(path, text); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for name, value := range c.env {
		switch secret, isFile := strings.CutSuffix(name, "_FILE"); {
		case isFile:
			set[name] = file(set[secret] + "\n")
			delete(set, secret)
		case strings.HasSuffix(name, "_LISTEN"):
			if !strings.HasPrefix(value, ":") {
				t.Errorf("%s is %s, want all addresses of the container", name, value)
			}
			set[name] = freePort(t)
		case set[name] == "":
			set[name] = value
		}
	}
	if set["PUBSYNC_ADMIN_LISTEN"] == "" {
		t.Error("the admin listener is on loopback, where nothing outside of the container reaches it")
	}
	args := slices.Clone(c.args)
	for i, a := range args {
		if strings.HasSuffix(a, "/pubsync.env") {
			args[i] = file("")
		}
	}
	p := launch(t, t.TempDir(), set, args...)
	p.logs("worker started")
	p.signal(sigterm)
	if code := p.code(20 * time.Second); code != 0 {
		t.Errorf("got exit %d, want 0: %s", code, p.stderr.String())
	}
}

func TestTheFilesStartAWorker(t *testing.T) {
	unraced(t)
	t.Parallel()
	if got := read(t, "kubernetes/statefulset.yaml").Spec.Replicas; got != 1 {
		t.Errorf("got %v replicas of a store that belongs to one process, want 1", got)
	}
	for name, c := range map[string]container{
		"compose": composed(t, "compose/compose.yaml"), "kubernetes": podOf(t, "kubernetes/statefulset.yaml"),
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, sandbox.Options{})
			s.set("ADMIN_TOKEN", "a-token-of-the-admin-listener", "WEBHOOK_PATH_TOKEN", "a-token-of-the-path")
			c.starts(t, s.env)
		})
	}
}

func unit(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(deployed, "systemd", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// systemd is told when the worker is ready.
func TestTheServiceTellsSystemd(t *testing.T) {
	if !strings.Contains(unit(t, "pubsync.service"), "\nType=notify\n") {
		t.Fatal("the service is of another type, want notify")
	}
	s := open(t, sandbox.Options{})
	socket := filepath.Join(t.TempDir(), "notify")
	listener, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() //nolint:errcheck // the test is over
	env := s.env.with("ADMIN_LISTEN", "off")
	env["NOTIFY_SOCKET"] = socket
	p := launch(t, s.dir, env, "run")
	if err := listener.SetReadDeadline(time.Now().Add(slack * 15 * time.Second)); err != nil {
		t.Fatal(err)
	}
	told := make([]byte, 4096)
	if n, err := listener.Read(told); err != nil || !strings.Contains(string(told[:n]), "READY=1") {
		t.Fatalf("systemd was told %q, %v, want that it is ready", told[:n], err)
	}
	p.signal(sigterm)
	if code := p.code(20 * time.Second); code != 0 {
		t.Errorf("got exit %d, want 0: %s", code, p.stderr.String())
	}
}

// The units start commands that there are, and systemd reads them.
func TestTheUnitsCanBeUsed(t *testing.T) {
	unraced(t)
	dir := t.TempDir()
	units := []string{"pubsync.service", "pubsync@.service", "pubsync-once.service", "pubsync-once.timer"}
	for _, name := range units {
		text := unit(t, name)
		ours := strings.ReplaceAll(text, "/usr/local/bin/pubsync", binary)
		if err := writeFile(filepath.Join(dir, name), ours); err != nil {
			t.Fatal(err)
		}
		starts := regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/pubsync (.*)$`)
		file := regexp.MustCompile(`\S+/pubsync\.env`)
		for _, start := range starts.FindAllStringSubmatch(text, -1) {
			args := strings.Fields(file.ReplaceAllString(start[1], filepath.Join(dir, "none.env")))
			// the command line is good: what is missing is the file alone
			if r := call(t, dir, nil, args...); r.code != 2 || !strings.Contains(r.stderr, "none.env: cannot be read") {
				t.Errorf("%s: got exit %d and %s, want a command line that can be read", name, r.code, r.stderr)
			}
		}
	}
	verify, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("systemd-analyze is not on this machine: the units are read by this test alone")
	}
	for _, name := range units {
		out, err := exec.Command(verify, "verify", "--man=no", filepath.Join(dir, name)).CombinedOutput()
		if err != nil || strings.Contains(string(out), "pubsync") {
			t.Errorf("%s: got %v, %s", name, err, out)
		}
	}
}
