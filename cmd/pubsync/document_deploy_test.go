// The files in cmd/deploy can be used: each is read here, and what it starts is started.

package main_test

import (
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
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

// documentsOf are the documents of a YAML file.
func documentsOf(t *testing.T, file string) (docs []map[string]any) {
	t.Helper()
	f, err := os.Open(filepath.Join(deployed, file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // only read
	for d := yaml.NewDecoder(f); ; {
		var doc map[string]any
		switch err := d.Decode(&doc); {
		case errors.Is(err, io.EOF):
			return docs
		case err != nil:
			t.Fatalf("%s: %v", file, err)
		}
		docs = append(docs, doc)
	}
}

// at is what stands in a document below the keys and places.
func at(t *testing.T, doc any, path ...any) any {
	t.Helper()
	for _, step := range path {
		switch s := step.(type) {
		case string:
			m, ok := doc.(map[string]any)
			if !ok || m[s] == nil {
				t.Fatalf("there is no %v in %v", path, doc)
			}
			doc = m[s]
		case int:
			list, ok := doc.([]any)
			if !ok || len(list) <= s {
				t.Fatalf("there is no %v in %v", path, doc)
			}
			doc = list[s]
		}
	}
	return doc
}

// texts are the texts of a list.
func texts(t *testing.T, list any) (out []string) {
	t.Helper()
	for _, v := range list.([]any) {
		out = append(out, v.(string))
	}
	return out
}

// runsWith starts the program with arguments and settings of a deployment, with the addresses and
// the env file of this test, and has it serve its health.
func runsWith(t *testing.T, args []string, env map[string]string) {
	t.Helper()
	s := open(t, sandbox.Options{})
	file := filepath.Join(s.dir, "pubsync.env")
	set := s.env.with("ADMIN_TOKEN", "a-token-of-the-admin-listener", "WEBHOOK_PATH_TOKEN", "a-token-of-the-path")
	text := ""
	for _, name := range slices.Sorted(maps.Keys(set)) {
		if name != "PUBSYNC_ADMIN_LISTEN" && name != "PUBSYNC_STORE_PATH" && name != "PUBSYNC_WEBHOOK_LISTEN" {
			text += name + "='" + set[name] + "'\n"
		}
	}
	if err := writeFile(file, text); err != nil {
		t.Fatal(err)
	}
	admin := freePort(t)
	process := settings{"PUBSYNC_STORE_PATH": filepath.Join(s.dir, "deployed.db")}
	for name, value := range env {
		switch name {
		case "PUBSYNC_ADMIN_LISTEN":
			value = ":" + portOf(admin)
		case "PUBSYNC_WEBHOOK_LISTEN":
			value = freePort(t)
		}
		process[name] = value
	}
	if env["PUBSYNC_ADMIN_LISTEN"] == "" {
		t.Error("the admin listener is on loopback, where nothing outside of the container reaches it")
	}
	if !slices.Contains(args, "--env-file") { // the supervisor reads it
		args = append(args, "--env-file", file)
	}
	for i, a := range args {
		if strings.HasSuffix(a, "/pubsync.env") {
			args[i] = file
		}
	}
	p := launch(t, t.TempDir(), process, args...)
	eventually(t, 15*time.Second, "it is ready", func() bool {
		if !p.running() {
			t.Fatalf("it ended: %s", p.stderr.String())
		}
		conn, err := net.Dial("tcp", "127.0.0.1:"+portOf(admin))
		if err != nil {
			return false
		}
		_ = conn.Close()
		res, _ := ask(t, "GET", "http://127.0.0.1:"+portOf(admin)+"/readyz", "", nil)
		return res.StatusCode == http.StatusOK
	})
	p.signal(sigterm)
	if code := p.code(20 * time.Second); code != 0 {
		t.Errorf("got exit %d, want 0: %s", code, p.stderr.String())
	}
}

func portOf(address string) string {
	_, port, _ := net.SplitHostPort(address)
	return port
}

func TestTheComposeFileStartsAWorker(t *testing.T) {
	docs := documentsOf(t, "compose/compose.yaml")
	service := at(t, docs[0], "services", "pubsync")
	env := map[string]string{}
	for name, value := range at(t, service, "environment").(map[string]any) {
		env[name] = value.(string)
	}
	runsWith(t, texts(t, at(t, service, "command")), env)
}

func TestTheKubernetesFilesStartAWorker(t *testing.T) {
	kustomization := documentsOf(t, "kubernetes/kustomization.yaml")[0]
	ports := map[string]bool{}
	for _, file := range texts(t, at(t, kustomization, "resources")) {
		for _, doc := range documentsOf(t, "kubernetes/"+file) {
			at(t, doc, "apiVersion")
			at(t, doc, "metadata", "name")
			if at(t, doc, "kind") != "StatefulSet" {
				continue
			}
			if got := at(t, doc, "spec", "replicas"); got != 1 {
				t.Errorf("got %v replicas of a store that belongs to one process, want 1", got)
			}
			pod := at(t, doc, "spec", "template", "spec")
			container := at(t, pod, "containers", 0)
			env := map[string]string{}
			for _, v := range at(t, container, "env").([]any) {
				env[at(t, v, "name").(string)] = at(t, v, "value").(string)
			}
			for _, v := range at(t, container, "ports").([]any) {
				ports[at(t, v, "name").(string)] = true
			}
			for probe, path := range map[string]string{
				"startupProbe": "/readyz", "readinessProbe": "/readyz", "livenessProbe": "/livez",
			} {
				if got := at(t, container, probe, "httpGet", "path"); got != path {
					t.Errorf("%s: got %v, want %s", probe, got, path)
				}
				if port := at(t, container, probe, "httpGet", "port").(string); !ports[port] {
					t.Errorf("%s asks the port %s, which there is not", probe, port)
				}
			}
			runsWith(t, texts(t, at(t, container, "args")), env)
		}
	}
}

// unit is the settings of a unit file: section and key -> values.
func unit(t *testing.T, name string) map[string][]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(deployed, "systemd", name))
	if err != nil {
		t.Fatal(err)
	}
	set, section := map[string][]string{}, ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		key, value, ok := strings.Cut(line, "=")
		switch {
		case line == "", line[0] == '#':
		case line[0] == '[':
			section = strings.Trim(line, "[]")
		case !ok || section == "":
			t.Errorf("%s: %q is no setting of a section", name, line)
		default:
			set[section+"."+key] = append(set[section+"."+key], value)
		}
	}
	return set
}

// systemd is told when the worker is ready, that it is alive, and that it stops.
func TestTheServiceIsWatchedBySystemd(t *testing.T) {
	service := unit(t, "pubsync.service")
	if got := service["Service.Type"]; !slices.Equal(got, []string{"notify"}) {
		t.Fatalf("got the type %v, want notify", got)
	}
	s := open(t, sandbox.Options{})
	socket := filepath.Join(t.TempDir(), "notify")
	listener, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close() //nolint:errcheck // the test is over
	heard := make(chan string, 100)
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := listener.Read(buf)
			if err != nil {
				close(heard)
				return
			}
			heard <- string(buf[:n])
		}
	}()
	hears := func(want string) {
		t.Helper()
		for end := time.After(15 * time.Second); ; {
			select {
			case got := <-heard:
				if strings.Contains(got, want) {
					return
				}
			case <-end:
				t.Fatalf("systemd was not told %s", want)
			}
		}
	}
	env := s.env.with("ADMIN_LISTEN", "off")
	env["NOTIFY_SOCKET"], env["WATCHDOG_USEC"] = socket, "600000"
	p := launch(t, s.dir, env, "run")
	hears("READY=1")
	hears("WATCHDOG=1")
	hears("WATCHDOG=1")
	p.signal(sigterm)
	hears("STOPPING=1")
	if code := p.code(20 * time.Second); code != 0 {
		t.Errorf("got exit %d, want 0: %s", code, p.stderr.String())
	}
}

// The units start commands that there are, and systemd reads them.
func TestTheUnitsCanBeUsed(t *testing.T) {
	dir := t.TempDir()
	units := []string{"pubsync.service", "pubsync@.service", "pubsync-once.service", "pubsync-once.timer"}
	for _, name := range units {
		set := unit(t, name)
		data, err := os.ReadFile(filepath.Join(deployed, "systemd", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := writeFile(filepath.Join(dir, name), strings.ReplaceAll(string(data), "/usr/local/bin/pubsync",
			binary)); err != nil {
			t.Fatal(err)
		}
		for _, start := range set["Service.ExecStart"] {
			words := strings.Fields(start)
			if words[0] != "/usr/local/bin/pubsync" {
				t.Errorf("%s starts %s", name, words[0])
			}
			args := append([]string{}, words[1:]...)
			for i, a := range args {
				if strings.HasSuffix(a, "/pubsync.env") {
					args[i] = filepath.Join(dir, "none.env")
				}
			}
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

// What the page says of going back: an older version refuses a newer store, names both versions, and
// changes nothing of it.
func TestAnOlderVersionRefusesANewerStore(t *testing.T) {
	s := open(t, sandbox.Options{})
	s.lamps(1)
	s.imported()
	file := s.env["PUBSYNC_STORE_PATH"]
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	newer := regexp.MustCompile(`schema\d`).ReplaceAll(data, []byte("schema9"))
	if slices.Equal(newer, data) {
		t.Fatal("the store does not say which version it is where this test looks")
	}
	if err := os.WriteFile(file, newer, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"run", "--once"}, {"run"}, {"status"}, {"plan"}, {"retry", "--failed"}} {
		r := s.call(args...)
		if r.code != 5 {
			t.Errorf("%v: got exit %d, want 5", args, r.code)
		}
		if !regexp.MustCompile(`store has the form 9, and this pubsync knows \d`).MatchString(r.stderr) {
			t.Errorf("%v: got %s, want both versions", args, r.stderr)
		}
	}
	if after, err := os.ReadFile(file); err != nil || !slices.Equal(after, newer) {
		t.Errorf("the store was changed, or cannot be read: %v", err)
	}
}
