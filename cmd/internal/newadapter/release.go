package newadapter

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// whole says that the release of this program is in the module cache, so that go.mod and go.sum can
// be written whole.
func (m *Module) whole() bool {
	return m.Cached != "" && m.Sum != "" && released.MatchString(m.Version)
}

// writeModuleOfRelease writes a go.mod that requires this release and all that it requires, and the
// sums of that. So the module is built without a network.
func (m *Module) writeModuleOfRelease() error {
	if err := m.writeModuleOf(m.Cached); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(m.Dir, "go.mod"))
	if err != nil {
		return err
	}
	text, _, _ := strings.Cut(string(mod), "\nreplace ")
	text = strings.Replace(text, Pubsync+" v0.0.0", Pubsync+" "+m.Version, 1)
	if err := m.writeFile("go.mod", []byte(text)); err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(m.Dir, "go.sum"))
	if err != nil {
		return err
	}
	own, err := os.ReadFile(filepath.Join(m.Cached, "go.mod"))
	if err != nil {
		return err
	}
	sums = fmt.Appendf(sums, "%s %s %s\n%[1]s %[2]s/go.mod %[4]s\n", Pubsync, m.Version, m.Sum, modSum(own))
	return m.writeFile("go.sum", sums)
}

// modSum is the sum of a go.mod, as a go.sum has it.
func modSum(text []byte) string {
	list := sha256.Sum256(fmt.Appendf(nil, "%x  go.mod\n", sha256.Sum256(text)))
	return "h1:" + base64.StdEncoding.EncodeToString(list[:])
}
