package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set when a release is built: -ldflags "-X main.version=v1.2.3 -X main.commit=…".
var version, commit string

type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Go      string `json:"go"`
}

// buildVersion is what was set at the build, else what Go wrote into the binary.
func buildVersion() build {
	b := build{Version: version, Commit: commit, Go: runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		if b.Version == "" {
			b.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && b.Commit == "" {
				b.Commit = s.Value
			}
		}
	}
	if b.Version == "" || b.Version == "(devel)" {
		b.Version = "devel"
	}
	return b
}

type versionCommand struct{ jsonFlag }

func (v *versionCommand) Run(a *app) error {
	b := buildVersion()
	if v.JSON {
		return a.printJSON(b)
	}
	_, err := fmt.Fprintf(a.stdout, "pubsync %s, commit %s, %s\n", b.Version, cmp.Or(b.Commit, "unknown"), b.Go)
	return err
}
