package story

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// A Subject is what a story is played with: the engine in this process, or the program.
type Subject interface {
	Set(name, value string) // without the prefix; counts from the next run or start
	Run(full bool, patience time.Duration) desk.Summary
	Plan(full bool) desk.Plan
	Start()
	Stop()
	Explain(id string) (desk.Explanation, error)
	Status() (any, error) // a document
	// Answer approves or declines what is held of some publications, of a kind, or with neither everything.
	Answer(decline bool, ids []string, kind string) error
	Retry(ids []string, reset bool) error // none: all that failed
	Webhook(body string, signed bool) (status int)
	Lose()    // the store
	Save()    // makes a copy of it
	PutBack() // puts that copy in its place
	Wait(span time.Duration)
}

// A World is all that a story happens in.
type World struct {
	Market *sandbox.Marketplace
	Shop   *shoptest.Shop
	Subject
}

// A player plays one story.
type player struct {
	*testing.T
	World
	at      string // the line that is played
	can     shoptest.Abilities
	taken   map[string]*sandbox.Listing // of publications that show none meanwhile
	mu      sync.Mutex                  // of what decides how the shop's calls end
	failing []failing
	refused map[string]map[string]string // publication -> variant -> reason
	lacks   string                       // "", "later" or "now": pictures that cannot be shown

	summary desk.Summary
	plan    desk.Plan
	answer  int  // to the last webhook
	calls   int  // of the shop before this line
	reads   int  // requests of the marketplace before it
	sent    bool // the line before sent a webhook: what it leads to counts with this line
}

// Files are the stories of a folder; with of only those that have that line at their head, such as "# program".
func Files(t *testing.T, folder, of string) (files []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(folder, "*.story"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no stories in %s: %v", folder, err)
	}
	for _, file := range all {
		if of == "" || slices.Contains(lines(t, file), of) {
			files = append(files, file)
		}
	}
	return files
}

func lines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file) //nolint:gosec // a story of this repository
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}

// Play plays a story. The first line that is not as it says ends it.
func Play(t *testing.T, file string, w World) {
	t.Helper()
	p := &player{T: t, World: w, taken: map[string]*sandbox.Listing{}, refused: map[string]map[string]string{}}
	w.Shop.Rule(p.reply)
	for n, line := range lines(t, file) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			p.at = fmt.Sprintf("%s:%d: %s", filepath.Base(file), n+1, line)
			p.line(line)
		}
	}
}

// line does what a line says, and holds it to what it expects.
func (p *player) line(line string) {
	does, expects, _ := strings.Cut(line, "->")
	if !p.sent {
		p.calls, p.reads = len(p.World.Shop.Calls()), len(p.Market.Requests())
	}
	a := p.phrase(does)
	p.sent = a.verb == "webhook"
	if do, ok := verbs[a.verb]; ok {
		do(a)
		a.end()
	} else {
		expects = line
	}
	for expect := range strings.SplitSeq(expects, ";") {
		if a := p.phrase(expect); a.verb != "" {
			a.expect()
			a.end()
		}
	}
}

// end ends a phrase: nothing of it may be left.
func (a *phrase) end() {
	if len(a.names)+len(a.pairs) > 0 {
		a.fail("not understood: %s %v %v", a.verb, a.names, a.pairs)
	}
}

func (p *player) fail(format string, a ...any) {
	p.Helper()
	p.Fatalf("%s\n\t%s", p.at, fmt.Sprintf(format, a...))
}

func (p *player) must(err error) {
	p.Helper()
	if err != nil {
		p.fail("%v", err)
	}
}
