package say

import (
	"os"
	"path/filepath"
	"strings"
)

// Program returns the words that start this program as it was started, for commands that a person
// copies. The binary that go run makes is gone once it ends.
func Program() string {
	if strings.Contains(filepath.ToSlash(os.Args[0]), "/go-build") {
		return "go run ./cmd/pubsync"
	}
	return os.Args[0]
}
