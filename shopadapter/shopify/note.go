package shopify

import (
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// A stamp notes the details of each variant, and a product may have a thousand of them: 128 KB is
// the most that Shopify accepts of a metafield. So a note is short. It has a word for each of
// detailNames: the beginning of the digest of what was last written, or "-" for nothing. Behind a
// slash follows what the variant held before. Stamp and variants are two steps, so that it may hold
// that still where the outcome of the last write is not known.

// notedDigits are the digits of a digest in a note: enough to tell a merchant's edit.
const notedDigits = 6

// noted stands in a note for a value.
func noted(value string) string {
	if value == "" {
		return "-"
	}
	return stamp.HashText(value).Exact[:notedDigits]
}

// detailKey is the name of a variant in productStamp.Details.
func detailKey(id string) string { return stamp.Digest(id, notedDigits) }

// notedWords are those of a note, one for each of detailNames.
func notedWords(note string) []string {
	words := strings.Fields(note)
	for len(words) < len(detailNames()) {
		words = append(words, "-")
	}
	return words
}

// readNote is what a note says, for a variant that holds these values.
func readNote(note string, held map[string]string, unsure bool) stamp.Details {
	last := stamp.Details{}
	for i, name := range detailNames() {
		now, before, two := strings.Cut(notedWords(note)[i], "/")
		is := noted(held[name])
		switch {
		case is == now || unsure && two && is == before:
			if held[name] != "" {
				last[name] = stamp.HashText(held[name]).Exact
			}
		case now != "-":
			last[name] = now
		}
	}
	return last
}

// writeNote is a note in which the details that are named stand as decided. What is not written,
// and noted already, stays word for word: a stamp that says the same is not written again. held is
// nil for a variant that is to be made.
func writeNote(note string, names []string, last stamp.Details, write, held map[string]string) string {
	words := notedWords(note)
	for i, name := range detailNames() {
		if !slices.Contains(names, name) {
			continue
		}
		word := "-"
		if digest := last[name]; digest != "" {
			word = digest[:notedDigits]
		}
		_, written := write[name]
		switch was, _, _ := strings.Cut(words[i], "/"); {
		case written && held != nil:
			words[i] = word + "/" + noted(held[name])
		case was != word:
			words[i] = word
		}
	}
	if !slices.ContainsFunc(words, func(word string) bool { return word != "-" }) {
		return ""
	}
	return strings.Join(words, " ")
}
