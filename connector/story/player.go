package story

import (
	"bufio"
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
	can     shoptest.Abilities
	taken   map[string]*sandbox.Listing // of publications that show none meanwhile
	mu      sync.Mutex                  // of what decides how the shop's calls end
	failing []failing
	refused map[string]map[string]string // publication -> variant -> reason
	lacks   string                       // "", "later" or "now": pictures that cannot be shown

	summary desk.Summary
	plan    desk.Plan
	answer  int            // to the last webhook
	calls   int            // of the shop before this line
	written map[string]int // writes of each product before it
	reads   int            // requests of the marketplace before it
	sent    bool           // the line before sent a webhook: what it leads to counts with this line
}

// Files are the stories of a folder; with of only those that have that line at their head, such as "# program".
func Files(t *testing.T, folder, of string) (files []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(folder, "*.story"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no stories in %s: %v", folder, err)
	}
	for _, file := range all {
		text, err := os.ReadFile(file) //nolint:gosec // a story of this repository
		if err != nil {
			t.Fatal(err)
		}
		if of == "" || slices.Contains(strings.Split(string(text), "\n"), of) {
			files = append(files, file)
		}
	}
	return files
}

// Play plays a story. The first line that is not as it says ends it.
func Play(t *testing.T, file string, w World) {
	t.Helper()
	f, err := os.Open(file) //nolint:gosec // a story of this repository
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close() //nolint:errcheck // it was read
	p := &player{T: t, World: w, taken: map[string]*sandbox.Listing{}, refused: map[string]map[string]string{}}
	w.Shop.Rule(p.reply)
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := p.line(line); err != nil {
			t.Fatalf("%s:%d: %s\n\t%v", filepath.Base(file), n, line, err)
		}
	}
}

// line does what a line says, and holds it to what it expects.
func (p *player) line(line string) error {
	does, expects, both := strings.Cut(line, "->")
	words, err := split(does)
	if err != nil {
		return err
	}
	if !p.sent {
		p.calls, p.reads, p.written = len(p.World.Shop.Calls()), len(p.Market.Requests()), map[string]int{}
		for _, c := range p.World.Shop.Calls(shoptest.Publish, shoptest.Figures) {
			p.written[string(c.ID)]++
		}
	}
	p.sent = words[0] == "webhook"
	if do, ok := verbs[words[0]]; ok {
		if err := do(p, words[0], args(words[1:])); err != nil {
			return err
		}
	} else if both {
		return fmt.Errorf("%q does nothing", words[0])
	} else {
		expects = does
	}
	for expect := range strings.SplitSeq(expects, ";") {
		words, err := split(expect)
		if err != nil {
			return err
		}
		if len(words) == 0 {
			continue
		}
		if err := p.expect(words[0], words[1:]); err != nil {
			return err
		}
	}
	return nil
}

// split parts a text into words; a part in double quotes is of one word.
func split(text string) (words []string, err error) {
	word, quoted, any := "", false, false
	end := func() {
		if any {
			words = append(words, ranged(word)...)
		}
		word, any = "", false
	}
	for _, r := range text {
		switch {
		case r == '"':
			quoted, any = !quoted, true
		case !quoted && (r == ' ' || r == '\t'):
			end()
		default:
			word, any = word+string(r), true
		}
	}
	end()
	if quoted {
		return nil, fmt.Errorf("a quote is not closed: %s", text)
	}
	return words, nil
}

// ranged is a word, or the ten that p[1-10] stands for.
func ranged(word string) (words []string) {
	name, span, _ := strings.Cut(strings.TrimSuffix(word, "]"), "[")
	var from, to int
	if n, _ := fmt.Sscanf(span, "%d-%d", &from, &to); n != 2 { //nolint:errcheck // any other word is none
		return []string{word}
	}
	for i := from; i <= to; i++ {
		words = append(words, fmt.Sprint(name, i))
	}
	return words
}

// args are the words of a line behind the first: names, and key=value pairs.
type args []string

// take is the value of a key, and the words without it.
func (a *args) take(key string) (value string, ok bool) {
	for i, word := range *a {
		if v, found := strings.CutPrefix(word, key+"="); found {
			*a = slices.Delete(slices.Clone(*a), i, i+1)
			return v, true
		}
	}
	return "", false
}

// has reports whether a word is there, and takes it away.
func (a *args) has(word string) bool {
	i := slices.Index(*a, word)
	if i >= 0 {
		*a = slices.Delete(slices.Clone(*a), i, i+1)
	}
	return i >= 0
}

// each does something for each of the names that a begins with.
func (a args) each(do func(name string, a args) error) error {
	n := slices.IndexFunc(a, func(word string) bool { return word == "quiet" || strings.Contains(word, "=") })
	if n < 0 {
		n = len(a)
	}
	for _, name := range a[:n] {
		if err := do(name, a[n:]); err != nil {
			return err
		}
	}
	return nil
}

// pairs are the key=value pairs in order; names are the other words.
func (a args) pairs() (pairs [][2]string, names []string) {
	for _, word := range a {
		if key, value, ok := strings.Cut(word, "="); ok {
			pairs = append(pairs, [2]string{key, value})
		} else {
			names = append(names, word)
		}
	}
	return pairs, names
}

// idle are the words that nothing has taken.
func (a args) idle() error {
	if len(a) > 0 {
		return fmt.Errorf("not understood: %s", strings.Join(a, " "))
	}
	return nil
}
