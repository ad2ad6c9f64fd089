package newadapter

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// goMod returns a go.mod that requires this release, or the latest. `go mod tidy` adds what that
// version requires.
func (m *Module) goMod() string {
	text := fmt.Sprintf("module %s\n\ngo %s\n", m.Path, strings.TrimPrefix(goVersion, "go"))
	if released.MatchString(m.Version) {
		text += fmt.Sprintf("\nrequire %s %s\n", Pubsync, m.Version)
	}
	return text
}

// goVersion is the version of the language that pubsync is written in.
const goVersion = "go1.26.0"

// released is the version of a release, which a module can require.
var released = regexp.MustCompile(`^v\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$`)

// writeModuleOf writes a go.mod and a go.sum that use a checkout and require what it requires, so
// that the module builds without a network.
func (m *Module) writeModuleOf(checkout string) error {
	text, err := os.ReadFile(filepath.Join(checkout, "go.mod"))
	if err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(checkout, "go.sum"))
	if err != nil {
		return err
	}
	needs := regexp.MustCompile(`(?m)^(\t[^\s/]+\.[^\s]+ v\S+).*$`).
		ReplaceAllString(requirements(string(text)), "$1 // indirect")
	mod := fmt.Sprintf("module %s\n\ngo %s\n\nrequire %s v0.0.0\n\nrequire (\n%s)\n\nreplace %s => %s\n",
		m.Path, strings.TrimPrefix(goVersion, "go"), Pubsync, needs, Pubsync, checkout)
	return errors.Join(m.writeFile("go.mod", []byte(mod)), m.writeFile("go.sum", sums))
}

// requirements are the lines of a go.mod that require modules.
func requirements(mod string) string {
	var b strings.Builder
	within := false
	for line := range strings.Lines(mod) {
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == "require (":
			within = true
		case trimmed == ")":
			within = false
		case within:
			b.WriteString(line)
		}
	}
	return b.String()
}
