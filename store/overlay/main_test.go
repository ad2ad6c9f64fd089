package overlay_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain makes fewer checks unless somebody asks for a number of them: the engines below hold the
// same laws in their own tests, and each check is made over two of them.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		_ = f.Value.Set("40")
	}
	os.Exit(m.Run())
}
