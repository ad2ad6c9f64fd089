package story

import (
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
	at    string // the line that is played
	can   shoptest.Abilities
	mu    sync.Mutex // of the rules
	rules []rule     // how the shop's calls end

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

// Play plays a story. The first line that is not as it says ends it.
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

// line plays the phrases of a line in their order.
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

// A phrase is one thing to do or to expect: its first word, the other words, and the pairs of key=value in order. What
// it takes of them is gone; nothing may be left.
type phrase struct {
	*player
	verb         string
	words, pairs []string
}

var (
	wordForm = regexp.MustCompile(`(?:[^\s"]|"[^"]*")+`)
	pairForm = regexp.MustCompile(`^[\w.-]+=`) // of a word as it stands: text in quotes is none
	spanForm = regexp.MustCompile(`^(.*)\[(\d+)-(\d+)\]$`)
)

// phrase parses a text into words. A part in double quotes is of one word, and p[1-3] stands for three.
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

// next takes the next word.
func (a *phrase) next() string {
	if len(a.words) == 0 {
		a.fail("a word is missing")
	}
	word := a.words[0]
	a.words = a.words[1:]
	return word
}

// one takes the one of some words that is there; "": none is.
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

// rest takes all the words that are left, and given all the pairs.
func (a *phrase) rest() (words []string) {
	words, a.words = a.words, nil
	return words
}

func (a *phrase) given() (pairs []string) {
	pairs, a.pairs = a.pairs, nil
	return pairs
}

// value takes the value of a key; "": there is none.
func (a *phrase) value(key string) (value string) {
	if i := slices.IndexFunc(a.pairs, func(pair string) bool { return strings.HasPrefix(pair, key+"=") }); i >= 0 {
		value = a.pairs[i][len(key)+1:]
		a.pairs = slices.Delete(a.pairs, i, i+1)
	}
	return value
}

// count is the value of a key as a number, or another where there is none.
func (a *phrase) count(key string, none int) int {
	if value := a.value(key); value != "" {
		return a.number(value)
	}
	return none
}

func (p *player) number(text string) int {
	n, err := strconv.Atoi(text)
	p.must(err)
	return n
}

// span is a length of time; of no text it is 0.
func (p *player) span(text string) time.Duration {
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	p.must(err)
	return d
}
