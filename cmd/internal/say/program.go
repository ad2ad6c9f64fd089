package say

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
)

// Program returns the words that start this program as it was started, for commands that a person
// copies: "pubsync", "./pubsync" or "go run ./cmd/pubsync".
func Program() string {
	path, module := "", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		path, module = info.Path, info.Main.Path
	}
	return program(os.Args[0], path, module)
}

func program(name, path, module string) string {
	if madeByGoRun(name) {
		if dir, within := strings.CutPrefix(path, module+"/"); within && isThere("go.mod") && isThere(dir) {
			path = "./" + dir
		}
		return "go run " + path
	}
	base := filepath.Base(name)
	if found, err := exec.LookPath(base); err == nil && same(found, name) {
		return base
	}
	return name
}

// inCache is a program in the cache of go build: go run takes it from there the second time.
var inCache = regexp.MustCompile(`[/\\][0-9a-f]{2}[/\\][0-9a-f]{64}-d[/\\][^/\\]+$`)

// madeByGoRun reports whether a program lies where go run puts it.
func madeByGoRun(name string) bool {
	dir := filepath.ToSlash(filepath.Dir(name))
	return inCache.MatchString(name) || strings.Contains(dir, "/go-build") && strings.HasSuffix(dir, "/exe")
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// same reports whether what a name was found as is the program that was started. A name without a
// folder was found in the same way.
func same(found, name string) bool {
	if !strings.ContainsAny(name, `/\`) {
		return true
	}
	a, err := os.Stat(found)
	if err != nil {
		return false
	}
	b, err := os.Stat(name)
	return err == nil && os.SameFile(a, b)
}
