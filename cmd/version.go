package cmd

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// version is set by a release: -ldflags "-X github.com/pubsync/pubsync/cmd.version=v1.2.3 -X
// github.com/pubsync/pubsync/cmd.commit=…".
var version, commit string

type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Go      string `json:"go"`
}

func (b build) String() string {
	return fmt.Sprintf("pubsync %s, commit %s, %s", cmp.Or(b.Version, "devel"), cmp.Or(b.Commit, "unknown"), b.Go)
}

// buildVersion returns what a release set, else what Go wrote into the binary.
func buildVersion() build {
	b := build{Version: version, Commit: commit, Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Version = cmp.Or(b.Version, strings.Trim(info.Main.Version, "()"))
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			b.Commit = cmp.Or(b.Commit, s.Value)
		}
	}
	return b
}

type versionCommand struct{ jsonFlag }

func (v *versionCommand) Run(a *app) error {
	b := buildVersion()
	a.print(v.JSON, b, func() { a.printf("%s\n", b) })
	return nil
}
