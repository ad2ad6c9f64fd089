package cmd

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/pubsync/pubsync/cmd/internal/doctor"
	"github.com/pubsync/pubsync/cmd/internal/exit"
	"github.com/pubsync/pubsync/cmd/internal/newadapter"
	"github.com/pubsync/pubsync/cmd/internal/say"
	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/publication"
	"github.com/pubsync/pubsync/store"
)

func TestPlanInColumns(t *testing.T) {
	p := desk.NewPlan()
	p.Create = []string{"p0"}
	p.Creations = []desk.Planned{{ID: "p0", Title: "Planter", Variants: 2, New: "9.95 - 12.95"}}
	p.Change = []publication.Planned{
		{
			ID: "c1", Title: "Vase",
			Change: store.Change{Field: "price", Variant: "v1", Name: "Red / S", Old: "34.95", New: "38.45"},
		},
		{ID: "c1", Title: "Vase", Change: store.Change{Field: "description"}},
	}
	p.Withdraw, p.Withdrawals = []string{"w1"}, []desk.Planned{{ID: "w1", Title: "Lamp"}}
	p.Refused = []desk.Planned{{ID: "r1", Title: "Knife", Reason: "nobody may sell this"}}
	p.Held = []desk.HeldChange{{
		ID: "h1", Title: "Chair", Hold: store.Hold{Kind: "price", Old: "1.00", New: "9.00", Reason: "far"},
	}}
	p.Waits = []desk.Planned{{ID: "x1", Reason: "it has no title in en,nl yet"}}
	failed := desk.NewPlan()
	failed.Error = "no answer"
	for name, tt := range map[string]struct {
		plan desk.Plan
		want string
	}{
		"of every kind": {p, `create 1, change 1, withdraw 1, cannot be made 1, held 1, waiting 1
WHAT      ID  TITLE    VARIANT     FIELD        OLD -> NEW      WHY
create    p0  Planter  2 variants               9.95 - 12.95
change    c1  Vase     Red / S     price        34.95 -> 38.45
change    c1  Vase                 description
hold      h1  Chair                price        1.00 -> 9.00    far
withdraw  w1  Lamp
refuse    r1  Knife                                             nobody may sell this
wait      x1                                                    it has no title in en,nl yet
`},
		"empty":       {desk.NewPlan(), "nothing to do\n"},
		"ended early": {failed, "ended early: no answer\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			(&app{stdout: &out}).printPlan(tt.plan)
			got := out.String()
			for strings.Contains(got, " \n") {
				got = strings.ReplaceAll(got, " \n", "\n")
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

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

// A report that is due anew was refused at no time that is known.
func TestExplainARefusedReportThatIsDue(t *testing.T) {
	var out strings.Builder
	sheet{&out}.printExplanation(desk.Explanation{Owed: &store.Report{Tries: 3, Refused: "no"}})
	if got := out.String(); !strings.Contains(got, " tried 3 times, refused: no\n") {
		t.Errorf("got %s, want no time of a refusal", got)
	}
}

func TestAnErrorEndsACommand(t *testing.T) {
	const nasty = "lamp\x1b[31m\x1b[2J\u202eend"
	for _, tt := range []struct {
		name string
		err  error
		code int
		said string
	}{
		{"no error", nil, 0, ""},
		{"a code alone", exit.With(4), 4, ""},
		{"code 0", exit.With(0), 0, ""},
		{"an error with a code", &desk.Error{Exit: 3, Err: errors.New(nasty)}, 3, "pubsync: " + say.Harmless(nasty) + "\n"},
		{"an error without one", errors.New("lost"), 1, "pubsync: lost\n"},
		{"wrong usage", exit.Usage("no %s", "flag"), 2, "pubsync: wrong usage: no flag (pubsync --help)\n"},
	} {
		var out bytes.Buffer
		if code := exit.Tell(tt.err, &out); code != tt.code {
			t.Errorf("%s: exit code %d, want %d", tt.name, code, tt.code)
		}
		if out.String() != tt.said {
			t.Errorf("%s: printed %q, want %q", tt.name, out.String(), tt.said)
		}
	}
}

// harms is true for what moves a cursor or turns the direction of writing.
func harms(r rune) bool { return say.Harmless(string(r)) == "" }

// nasty is what a supplier, a shop or a stranger may put into a title, an error or a header:
// colours, a new title for the window, a cleared screen, a line that looks like ours, turned
// writing, bytes that are no UTF-8.
const nasty = "lamp\x1b[31m\x1b]0;owned\x07\x1b[2J\r\nlevel=ERROR msg=\"all is " +
	"lost\"\u009b1m\u202eexe.gpj\u2066\u2028\x00\x7f\xff\x9b end"

func TestNothingInALogMovesTheCursor(t *testing.T) {
	for _, tt := range []struct {
		format  string
		noColor bool
	}{{"json", false}, {"text", false}, {"text", true}} {
		var out bytes.Buffer
		log := slog.New(say.LogHandler(&out, tt.format, slog.LevelInfo, tt.noColor, func(s string) string { return s }))
		log.With("with", nasty).
			WithGroup("group").
			Info("one line", "text", nasty, "error", errors.New(nasty), "list", []string{nasty},
				slog.Group("inner", "text", nasty))
		line := strings.TrimSuffix(out.String(), "\n")
		if !tt.noColor && tt.format == "text" {
			for _, colour := range []string{"\x1b[92m", "\x1b[2m", "\x1b[0m"} { // those that a line of this level has
				line = strings.ReplaceAll(line, colour, "")
			}
		}
		if i := strings.IndexFunc(line, func(r rune) bool { return unicode.IsControl(r) || harms(r) }); i >= 0 {
			t.Errorf("%+v: at %d of %q", tt, i, line)
		}
		for _, word := range []string{"lamp", "end"} {
			if n := strings.Count(line, word); n != 5 {
				t.Errorf("%+v: %q stands %d times in %q, want 5", tt, word, n, line)
			}
		}
	}
}

func TestNoTableMovesTheCursor(t *testing.T) {
	var out bytes.Buffer
	say.Table(&out, []string{"ID"}, [][]string{{nasty}})
	if i := strings.IndexFunc(out.String(), func(r rune) bool { return r != '\n' && harms(r) }); i >= 0 {
		t.Errorf("at %d of %q a character moves the cursor, want none", i, out.String())
	}
	if !strings.Contains(out.String(), "lamp") {
		t.Errorf("printed %q, want the text", out.String())
	}
}

// A new adapter's module asks for the Go that ours asks for.
func TestANewModuleHasOurGoVersion(t *testing.T) {
	dir := t.TempDir()
	if err := newadapter.Write("tea", dir); err != nil {
		t.Fatal(err)
	}
	var versions []string
	for _, file := range []string{"../go.mod", filepath.Join(dir, "go.mod")} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		versions = append(versions, regexp.MustCompile(`(?m)^go \S+$`).FindString(string(text)))
	}
	if versions[0] == "" || versions[1] != versions[0] {
		t.Errorf("got %q and %q, want the same", versions[0], versions[1])
	}
}

// Each command line that the pages show is one that the program reads, with its words and flags.
func TestThePagesCommandsExist(t *testing.T) {
	const guide = "../shopadapter/README.md"
	pages, err := filepath.Glob("../shopadapter/*/README.md")
	if err != nil || len(pages) < 4 {
		t.Fatalf("got %v, %v, want a page for each shop software", pages, err)
	}
	help := func(line string) (string, error) {
		var out bytes.Buffer
		err := run(t.Context(), append(strings.Fields(line), "--help"), nil, &out, &out)
		return out.String(), err
	}
	lines := map[string]bool{}
	for _, page := range append(pages, guide, "../README.md", "deploy/README.md") {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile("`pubsync ([a-z][^`]*)`").FindAllStringSubmatch(string(data), -1) {
			lines[strings.TrimSuffix(m[1], "…")] = true
		}
		if page != guide {
			continue
		}
		for _, block := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```$").FindAllString(string(data), -1) {
			for _, m := range regexp.MustCompile("(?m)^pubsync ([^#>&\n]*)").FindAllStringSubmatch(block, -1) {
				lines[m[1]] = true
			}
		}
	}
	if len(lines) < 15 {
		t.Fatalf("the pages show only %v", lines)
	}
	all, _ := help("")
	for line := range lines {
		if word, _, _ := strings.Cut(line, " "); !strings.Contains(all, "\n  "+word+" ") {
			t.Errorf("the help has no pubsync %s", word)
		}
		if said, err := help(line); err != nil {
			t.Errorf("pubsync %s: %v, %s", line, err, said)
		}
	}
}
