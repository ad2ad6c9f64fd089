// The scripts in testdata/script: what a person types, and what is printed.

package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts plays the stories in testdata/script, in which a person types commands and reads what
// they print.
func TestScripts(t *testing.T) {
	unraced(t)
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			var vars []string
			for _, v := range e.Vars {
				if !strings.HasPrefix(v, "PUBSYNC_") && !strings.HasPrefix(v, "PATH=") {
					vars = append(vars, v)
				}
			}
			e.Vars = append(vars, "PATH="+filepath.Dir(binary)+string(os.PathListSeparator)+os.Getenv("PATH"))
			return nil
		},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}
