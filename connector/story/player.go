package story

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pubsync/pubsync/connector/desk"
	"github.com/pubsync/pubsync/connector/marketplace/sandbox"
	"github.com/pubsync/pubsync/shopadapter/shoptest"
)

// A Subject plays a story: the engine in this process, or the program.
type Subject interface {
	Set(name, value string) // name without prefix; counts from the next run or start
	Run(full bool, patience time.Duration) desk.Summary
	Plan(full bool) desk.Plan
	Start()
	Stop()
	Explain(id string) (desk.Explanation, error)
	Status() (any, error)
	// Answer is about publications, a kind, or with neither all that is held.
	Answer(decline bool, ids []string, kind string) error
	Retry(ids []string, reset bool) error // none: all that failed
	Webhook(body string, signed bool) (status int)
	Lose()    // the store
	Save()    // a copy
	PutBack() // that copy
	Wait(span time.Duration)
}

// A World is all that a story happens in.
type World struct {
	Market *sandbox.Marketplace
	Shop   *shoptest.Shop
	Subject
}

type player struct {
	*testing.T
	World
	at    string // file and line
	can   shoptest.Abilities
	mu    sync.Mutex // of the rules
	rules []rule

	summary desk.Summary
	plan    desk.Plan
	answer  int  // to the last webhook
	calls   int  // before this line
	reads   int  // before this line
	sent    bool // the line before sent a webhook, whose effects count with this one
}

// Files returns the stories of a folder; with of, only those with that line, such as "# program".
func Files(t *testing.T, folder, of string) (files []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(folder, "*.story"))
	if err != nil || len(all) == 0 {
		t.Fatalf("no stories in %s: %v", folder, err)
	}
	return slices.DeleteFunc(all, func(file string) bool { return of != "" && !slices.Contains(lines(t, file), of) })
}

func lines(t *testing.T, file string) []string {
	t.Helper()
	text, err := os.ReadFile(file) //nolint:gosec // a story of this repository
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}

// Play plays a story up to the first line that fails.
func Play(t *testing.T, file string, w World) {
	t.Helper()
	p := &player{T: t, World: w}
	w.Shop.Rule(p.reply)
	for n, line := range lines(t, file) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			p.at = fmt.Sprintf("%s:%d: %s", filepath.Base(file), n+1, line)
			p.line(line)
		}
	}
}

func (p *player) line(line string) {
	if !p.sent {
		p.calls, p.reads = len(p.World.Shop.Calls()), len(p.Market.Requests())
	}
	p.sent = strings.HasPrefix(line, "webhook")
	for part := range strings.SplitSeq(strings.Replace(line, "->", "; ", 1), "; ") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		a := p.phrase(part)
		if play := phrases[a.verb]; play != nil {
			play(a)
		} else {
			a.summed()
		}
		if len(a.words)+len(a.pairs) > 0 {
			a.fail("not understood: %s %v %v", a.verb, a.words, a.pairs)
		}
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

// A phrase has a first word, further words, and pairs of key=value. What is taken of them is gone; nothing may be
// left.
type phrase struct {
	*player
	verb         string
	words, pairs []string
}

var (
	wordForm = regexp.MustCompile(`(?:[^\s"]|"[^"]*")+`)
	pairForm = regexp.MustCompile(`^[\w.-]+=`) // quoted text is no pair
	spanForm = regexp.MustCompile(`^(.*)\[(\d+)-(\d+)\]$`)
)

// phrase parses a text: a part in double quotes is one word, p[1-3] stands for three.
func (p *player) phrase(text string) *phrase {
	a := &phrase{player: p}
	for _, word := range wordForm.FindAllString(text, -1) {
		bare := strings.ReplaceAll(word, `"`, "")
		if pairForm.MatchString(word) {
			a.pairs = append(a.pairs, bare)
		} else if m := spanForm.FindStringSubmatch(word); m != nil {
			for i := a.number(m[2]); i <= a.number(m[3]); i++ {
				a.words = append(a.words, fmt.Sprint(m[1], i))
			}
		} else {
			a.words = append(a.words, bare)
		}
	}
	a.verb = a.next()
	return a
}

func (a *phrase) next() string {
	if len(a.words) == 0 {
		a.fail("a word is missing")
	}
	word := a.words[0]
	a.words = a.words[1:]
	return word
}

// one takes the first of these words that is there, or "".
func (a *phrase) one(of ...string) string {
	for _, word := range of {
		if i := slices.Index(a.words, word); i >= 0 {
			a.words = slices.Delete(a.words, i, i+1)
			return word
		}
	}
	return ""
}

func (a *phrase) has(word string) bool { return a.one(word) != "" }

func (a *phrase) rest() (words []string) {
	words, a.words = a.words, nil
	return words
}

func (a *phrase) given() (pairs []string) {
	pairs, a.pairs = a.pairs, nil
	return pairs
}

func (a *phrase) value(key string) (value string) {
	if i := slices.IndexFunc(a.pairs, func(pair string) bool { return strings.HasPrefix(pair, key+"=") }); i >= 0 {
		value = a.pairs[i][len(key)+1:]
		a.pairs = slices.Delete(a.pairs, i, i+1)
	}
	return value
}

// variant takes the index of the variant that the phrase is about, the first if it names none.
func (a *phrase) variant() int { return a.number(cmp.Or(a.value("of"), "1")) - 1 }

func (p *player) number(text string) int {
	n, err := strconv.Atoi(text)
	p.must(err)
	return n
}

func (p *player) span(text string) time.Duration {
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	p.must(err)
	return d
}
