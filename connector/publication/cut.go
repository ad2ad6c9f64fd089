package publication

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// cutHTML cuts a text, HTML or plain, to at most so many bytes. It cuts after a sentence or a block
// in the second half, else after a word, with three dots, else between two characters. It never
// cuts within a tag or an entity. Open tags stay open.
func cutHTML(text string, most int) string {
	if len(text) <= most {
		return text
	}
	sentence, word, hard, at := 0, 0, 0, 0
	tokens := html.NewTokenizer(strings.NewReader(text))
	for at < most {
		kind := tokens.Next()
		if kind == html.ErrorToken {
			break
		}
		raw := tokens.Raw()
		if kind == html.TextToken {
			ends := endsIn(raw, most-at)
			if ends.sentence >= 0 {
				sentence = at + ends.sentence
			}
			if ends.word >= 0 {
				word = at + ends.word
			}
			hard = at + ends.hard
		} else if at+len(raw) <= most {
			if hard = at + len(raw); isBlockEnd(kind, tokens) {
				sentence = hard
			}
		}
		at += len(raw)
	}
	switch {
	case sentence >= most/2:
		return strings.TrimRightFunc(text[:sentence], unicode.IsSpace)
	case word >= most/2:
		return text[:word] + "…"
	}
	return text[:hard]
}

// isBlockEnd reports whether a tag closes a block, after which a text may end.
func isBlockEnd(kind html.TokenType, tokens *html.Tokenizer) bool {
	if kind != html.EndTagToken {
		return false
	}
	name, _ := tokens.TagName()
	switch string(name) {
	case "p",
		"li",
		"ul",
		"ol",
		"div",
		"table",
		"tr",
		"h1",
		"h2",
		"h3",
		"h4",
		"h5",
		"h6",
		"blockquote",
		"dd",
		"dl",
		"pre":
		return true
	}
	return false
}

// An ends is how far a text may go: offsets in bytes, -1 for none.
type ends struct{ sentence, word, hard int }

// endsIn finds where a text without tags may be cut so that at most so many bytes stay.
func endsIn(raw []byte, most int) ends {
	e := ends{sentence: -1, word: -1, hard: len(raw)}
	if len(raw) > most {
		e.hard = max(most, 0)
		for e.hard > 0 && !utf8.RuneStart(raw[e.hard]) {
			e.hard--
		}
		const longestEntity = 32
		if amp := bytes.LastIndexByte(raw[:e.hard], '&'); amp >= 0 && e.hard-amp < longestEntity &&
			bytes.IndexByte(raw[amp:e.hard], ';') < 0 {
			e.hard = amp // perhaps an entity goes on behind the cut
		}
	}
	var before rune
	stop := false // a sentence has ended, but for closing quotes
	for i, r := range string(raw[:e.hard]) {
		switch {
		case r == '\n', unicode.IsSpace(r) && stop:
			e.sentence = i
		case unicode.IsSpace(r):
		case strings.ContainsRune("。！？", r):
			e.sentence = i + utf8.RuneLen(r)
		}
		if unicode.IsSpace(r) && !unicode.IsSpace(before) {
			e.word = i
		}
		stop = strings.ContainsRune(".!?…", r) || stop && strings.ContainsRune(`"')”’»`, r)
		before = r
	}
	return e
}

// cutMessage says that a description is not shown whole.
func cutMessage(from, to int) string {
	return fmt.Sprintf(
		"the description is cut from %d to %d KB, which is what shops take", (from+1023)>>10, (to+1023)>>10,
	)
}
