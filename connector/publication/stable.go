package publication

import "strings"

// deepest is how deep the tags of a usual description are nested.
const deepest = 8

// isStable reports whether text is HTML that neither the policy nor a parser would change: text
// with its signs as entities, and tags without attributes that are nested as a parser nests them.
// It recognizes usual descriptions, and returns false for all others, which are then parsed.
func isStable(text string) bool {
	open := make([]string, 0, deepest) // the innermost last
	for text != "" {
		i := strings.IndexAny(text, "<&>\"'\r\x00")
		if i < 0 {
			i = len(text)
		}
		parent := ""
		if len(open) > 0 {
			parent = open[len(open)-1]
		}
		if isList(parent) && strings.TrimLeft(text[:i], " \n\t") != "" {
			return false // text between the items of a list
		}
		if text = text[i:]; text == "" {
			break
		}
		switch text[0] {
		case '&':
			n := writtenEntity(text)
			if n == 0 || isList(parent) {
				return false
			}
			text = text[n:]
			continue
		case '<':
		default:
			return false
		}
		tag, rest, found := strings.Cut(text[1:], ">")
		if !found {
			return false
		}
		text = rest
		name, ends := strings.CutPrefix(tag, "/")
		switch {
		case ends:
			if name != parent || parent == "" {
				return false
			}
			open = open[:len(open)-1]
		case tag == "br/":
			if isList(parent) {
				return false
			}
		case len(open) == deepest || !nests(name, open):
			return false
		default:
			open = append(open, name)
		}
	}
	return len(open) == 0
}

// nests reports whether an element may begin inside the open ones, the innermost last, without a
// parser closing or repeating one of them.
func nests(name string, open []string) bool {
	parent := ""
	if len(open) > 0 {
		parent = open[len(open)-1]
	}
	switch name {
	case "b", "strong", "i", "em", "u":
		for _, other := range open {
			if other == name {
				return false
			}
		}
		return !isList(parent)
	case "p", "ul", "ol":
		return parent == "" || parent == "li"
	case "li":
		return isList(parent)
	default:
		return false
	}
}

func isList(name string) bool { return name == "ul" || name == "ol" }

// writtenEntity is the length of the entity that text begins with, 0 where a parser would not write
// it so.
func writtenEntity(text string) int {
	for _, entity := range []string{"&amp;", "&lt;", "&gt;", "&#34;", "&#39;"} {
		if strings.HasPrefix(text, entity) {
			return len(entity)
		}
	}
	return 0
}
