package cmd

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pubsync/pubsync/cmd/internal/doctor"
	"github.com/pubsync/pubsync/cmd/internal/exit"
)

// A finding may quote a stranger. Nothing of it moves the terminal's cursor, and the exit code is
// that of the most serious finding.
func TestTheDoctorPrintsFindings(t *testing.T) {
	var out bytes.Buffer
	err := new(doctorCommand).print(&app{stdout: &out}, []doctor.Finding{
		{Check: "store", OK: true, Detail: "shop.db"},
		{Check: "schema", Detail: "first\x1b[2J\nsecond\u202e", Code: 3},
		{Check: "shop", Detail: "refused", Code: 4},
	})
	if code := exit.CodeOf(err); code != 3 {
		t.Errorf("exit code %d, want 3", code)
	}
	want := "ok   store          shop.db\nFAIL schema         first[2J\n" + strings.Repeat(" ", 20) +
		"second\nFAIL shop           refused\n"
	if got := out.String(); got != want {
		t.Errorf("printed %q, want %q", got, want)
	}
}
