package story

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A phrase is one thing to do or to expect: its first word, the other words, and the key=value pairs in order.
type phrase struct {
	*player
	verb  string
	names []string
	pairs []pair
}

type pair struct{ key, value string }

var (
	wordForm = regexp.MustCompile(`(?:[^\s"]|"[^"]*")+`)
	pairForm = regexp.MustCompile(`^[\w.-]+=`) // of a word as it stands: text in quotes is none
	spanForm = regexp.MustCompile(`^(.*)\[(\d+)-(\d+)\]$`)
)

// phrase parts a text into words. A part in double quotes is of one word, and p[1-3] stands for three.
func (p *player) phrase(text string) *phrase {
	a := &phrase{player: p}
	for _, word := range wordForm.FindAllString(text, -1) {
		bare := strings.ReplaceAll(word, `"`, "")
		if pairForm.MatchString(word) {
			key, value, _ := strings.Cut(bare, "=")
			a.pairs = append(a.pairs, pair{key, value})
		} else if m := spanForm.FindStringSubmatch(word); m != nil {
			for i := a.number(m[2]); i <= a.number(m[3]); i++ {
				a.names = append(a.names, fmt.Sprint(m[1], i))
			}
		} else {
			a.names = append(a.names, bare)
		}
	}
	if len(a.names) > 0 {
		a.verb = a.next()
	}
	return a
}

// next takes the next word.
func (a *phrase) next() string {
	if len(a.names) == 0 {
		a.fail("a word is missing")
	}
	word := a.names[0]
	a.names = a.names[1:]
	return word
}

// has takes a word, and reports whether it was there.
func (a *phrase) has(word string) bool {
	i := slices.Index(a.names, word)
	if i >= 0 {
		a.names = slices.Delete(a.names, i, i+1)
	}
	return i >= 0
}

// one takes the one of some words that is there; "": none is.
func (a *phrase) one(of ...string) string {
	i := slices.IndexFunc(of, a.has)
	if i < 0 {
		return ""
	}
	return of[i]
}

// rest takes all the words that are left.
func (a *phrase) rest() (names []string) {
	names, a.names = a.names, nil
	return names
}

// value takes the value of a key; "": there is none.
func (a *phrase) value(key string) (value string) {
	if i := slices.IndexFunc(a.pairs, func(c pair) bool { return c.key == key }); i >= 0 {
		value = a.pairs[i].value
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

func (p *player) span(text string) time.Duration {
	d, err := time.ParseDuration(text)
	p.must(err)
	return d
}
