package cmd

import (
	"io"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

func parserForTest(t *testing.T) *kong.Kong {
	t.Helper()
	parser, err := newParser(&cli{}, io.Discard, io.Discard, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	return parser
}

// Every command has examples, and no others are listed.
func TestEveryCommandHasExamples(t *testing.T) {
	commands := map[string]bool{"": true}
	if err := kong.Visit(parserForTest(t).Model.Node, func(node kong.Visitable, next kong.Next) error {
		if command, ok := node.(*kong.Node); ok && command.Type == kong.CommandNode && !command.Hidden {
			commands[strings.TrimPrefix(command.Path(), "pubsync ")] = true
		}
		return next(nil)
	}); err != nil {
		t.Fatal(err)
	}
	for command := range commands {
		if len(examples[command]) == 0 {
			t.Errorf("pubsync %s: got no examples, want some", command)
		}
	}
	for command := range examples {
		if !commands[command] {
			t.Errorf("got examples of pubsync %s, which is no command", command)
		}
	}
}

// Every example is a command line of the command that shows it.
func TestExamplesParse(t *testing.T) {
	for command, lines := range examples {
		for _, line := range lines {
			line, _, _ = strings.Cut(line, " | ")
			if _, err := parserForTest(t).Parse(shellwords(line)[1:]); err != nil {
				t.Errorf("%s: got %v, want a command line that can be read", line, err)
			}
			if !strings.HasPrefix(line, "pubsync "+strings.TrimSuffix(command, " list")) {
				t.Errorf("got the example %q of pubsync %s, want one that begins so", line, command)
			}
		}
	}
}

// shellwords are the words of a line, in which ' quotes.
func shellwords(line string) (words []string) {
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		words = append(words, strings.Fields(part)...)
	}
	return words
}
