// Package story plays stories: what pubsync promises, told from outside. Results are read by the desk, the shop and
// the marketplace, never from a field. connector/testdata/README.md, beside the stories, has all that a line can do
// and expect.
package story

import (
	"bytes"
	"cmp"
	"encoding/json"
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

	"github.com/shopspring/decimal"

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

// holds compares got with a text, a number in any form, or a bound such as <=3.
func (p *player) holds(what string, got any, want string) {
	p.Helper()
	ok := fmt.Sprint(got) == want
	is, err := decimal.NewFromString(fmt.Sprint(got))
	bound, wrong := decimal.NewFromString(strings.TrimLeft(want, "<=>"))
	if err == nil && wrong == nil {
		side := is.Cmp(bound)
		ok = side == 0 || side < 0 && strings.HasPrefix(want, "<=") || side > 0 && strings.HasPrefix(want, ">=")
	}
	if !ok {
		p.fail("%s: got %v, want %s", what, got, want)
	}
}

// summed checks the last summary: "exit 1 held 2 requests <=3".
func (a *phrase) summed() {
	var figures map[string]any
	a.must(json.Unmarshal([]byte(said(a.summary)), &figures))
	for a.words = append([]string{a.verb}, a.words...); len(a.words) > 0; {
		field := a.next()
		got, ok := figures[field].(float64)
		if !ok {
			a.fail("%s: neither a phrase nor a figure of a run", field)
		}
		a.holds(field+" of "+said(a.summary), int(got), a.next())
	}
}

func (a *phrase) reported() {
	name, want, at := a.next(), a.next(), a.value("at")
	n := 0
	for _, r := range a.Market.Reports() {
		if r.ID == name {
			n++
		}
	}
	if want == "nothing" {
		a.holds("reports of "+name, n, "0")
		return
	}
	got, _ := a.Market.Publication(name)
	a.holds("status of "+name, got.Status, want)
	if !strings.HasPrefix(got.ProductURL, at) {
		a.fail("address of %s: got %q, want %s", name, got.ProductURL, at)
	}
	if len(a.words) > 0 {
		times := a.next()
		a.has("times")
		a.holds("reports of "+name, n, cmp.Or(map[string]string{"once": "1", "twice": "2"}[times], times))
	}
}

func (a *phrase) explained() {
	name := a.next()
	e, err := a.Explain(name)
	if a.verb == "state" {
		want := a.next()
		if err != nil && want == "unknown" {
			return
		}
		a.holds(fmt.Sprintf("state of %s in %s", name, said(e)), e.State, want)
	}
	a.must(err)
	a.tells(e)
}

func (a *phrase) tells(document any) {
	not := a.has("not")
	for _, text := range a.rest() {
		if strings.Contains(said(document), text) == not {
			a.fail("got %s\n\twant it to tell, or not: %q", said(document), text)
		}
	}
}

func said(document any) string {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(document) // a document of ours
	return strings.TrimSpace(out.String())
}

// planned looks in the last plan for the phrase's own words.
func (a *phrase) planned() {
	want, plan, lines := strings.Join(append([]string{a.verb}, a.rest()...), " ")+" ", a.player.plan, []string{}
	for _, id := range plan.Create {
		lines = append(lines, "create "+id)
	}
	for _, c := range plan.Change {
		lines = append(lines, fmt.Sprintf("change %s %s %s", c.ID, c.Field, c.New))
	}
	for _, id := range plan.Withdraw {
		lines = append(lines, "withdraw "+id)
	}
	if len(lines) == 0 {
		lines = append(lines, "nothing")
	}
	lines = append(lines, fmt.Sprint("readings ", plan.Readings))
	for _, h := range plan.Held {
		lines = append(lines, "holds "+h.ID)
	}
	if !slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line+" ", want) }) {
		a.fail("got %s", strings.Join(lines, "; "))
	}
}

// called counts the calls of the shop since the line began.
func (a *phrase) called() {
	n := map[string]int{}
	for _, c := range a.World.Shop.Calls()[a.calls:] {
		n[c.Method]++
		if c.Created {
			n["create"]++
		}
		if c.Method != shoptest.Check {
			n["all"]++
		}
	}
	a.counted("calls of ", n)
	if len(a.words) > 0 {
		a.holds("calls", n["all"], a.next())
	}
}

// read counts the readings of content since the line began.
func (a *phrase) read() {
	n := map[string]int{}
	for _, r := range a.Market.Requests()[a.reads:] {
		for _, id := range r.Content {
			n[id]++
		}
	}
	a.counted("readings of ", n)
}

func (a *phrase) counted(what string, n map[string]int) {
	for _, pair := range a.given() {
		key, want, _ := strings.Cut(pair, "=")
		a.holds(what+key, n[key], want)
	}
}

// wrote checks which groups a product's writes named since the line began.
func (a *phrase) wrote() {
	name, want := a.next(), a.next()
	var writes []string
	for _, c := range a.World.Shop.Calls()[a.calls:] {
		if string(c.ID) == name && (c.Method == shoptest.Publish || c.Method == shoptest.Figures) {
			writes = append(writes, c.Changed.String())
		}
	}
	a.holds("writes of "+name, cmp.Or(strings.Join(writes, " then "), "nothing"), want)
}
