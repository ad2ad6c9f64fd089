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
	return fmt.Sprintf("pubsync %s, commit %s, %s", b.Version, cmp.Or(b.Commit, "unknown"), b.Go)
}

// buildVersion returns what the build set, else this module's version as Go wrote it into the binary.
func buildVersion() build {
	b := build{Version: version, Commit: commit, Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	of := info.Main.Version
	for _, d := range info.Deps {
		if d.Path == "github.com/pubsync/pubsync" {
			of = d.Version
		}
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			b.Commit = cmp.Or(b.Commit, s.Value)
		}
	}
	b.Version = strings.NewReplacer("(devel)", "devel").Replace(cmp.Or(b.Version, of, "devel"))
	return b
}

type versionCommand struct{ jsonFlag }

func (v *versionCommand) Run(a *app) error {
	b := buildVersion()
	a.print(v.JSON, b, func() { a.printf("%s\n", b) })
	return nil
}
