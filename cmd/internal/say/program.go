package say

import (
	"os"
	"path/filepath"
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

// program knows go run by its folders, that of the cache too.
func program(name, path, module string) string {
	if !strings.Contains(filepath.ToSlash(name), "/go-build") {
		return name
	}
	if dir, within := strings.CutPrefix(path, module+"/"); within && isThere("go.mod") && isThere(dir) {
		path = "./" + dir
	}
	return "go run " + path
}

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
