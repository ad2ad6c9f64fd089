package config

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"github.com/joho/godotenv"

	"github.com/pubsync/pubsync/shopadapter/regular"
)

const (
	mostSecretFile = 64 << 10 // bytes of a file that holds one secret
	mostEnvFile    = 1 << 20  // bytes of an env file
)

// A layer is the variables that the process or an env file sets. An empty one counts as unset.
type layer struct {
	values map[string]string
	file   string         // "": the process
	lines  map[string]int // of the file, by variable
}

var (
	errEncoding = errors.New("the file is not text in UTF-8: save it as UTF-8")
	errBadLine  = errors.New("a line is not of the form KEY=value (put values with $ or # in single quotes)")
	errOpen     = errors.New("the quote is never closed")
)

// isPath are the variables that name a file or a folder.
var isPath = regexp.MustCompile(`_(PATH|DIR|FILE)$`)

// readFile reads the variables of an env file. A relative path becomes relative to that file: cron
// runs a command in another folder, and means the same store and the same secrets.
func readFile(file string) (layer, error) {
	text, err := readText(file, mostEnvFile)
	if err != nil {
		return layer{}, err
	}
	l := layer{file: file}
	if l.lines, err = linesOf(text); err != nil {
		return layer{}, err
	}
	if l.values, err = godotenv.Unmarshal(text); err != nil { // its text quotes the rest of the file, secrets among it
		return layer{}, errBadLine
	}
	maps.DeleteFunc(l.values, func(name, _ string) bool { return !strings.HasPrefix(name, Prefix) })
	for name, value := range l.values {
		scheme, path := SplitStore(value)
		if isPath.MatchString(name) && scheme == "" && path != "" && !filepath.IsAbs(path) {
			l.values[name] = filepath.Join(filepath.Dir(file), path)
		}
	}
	return l, nil
}

// readText returns the text of a file in UTF-8 without a byte order mark.
func readText(file string, most int64) (string, error) {
	data, err := regular.Read(file, most)
	if err != nil {
		return "", err
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	if strings.ContainsRune(text, 0) { // each letter of UTF-16 has such a byte
		return "", errEncoding
	}
	return text, nil
}

// linesOf returns the line on which each variable of an env file is set, the last one where that is
// done twice. An error names the line that cannot be read.
func linesOf(text string) (map[string]int, error) {
	lines := map[string]int{}
	all := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i := 0; i < len(all); i++ {
		first := i
		statement := strings.TrimSpace(all[i])
		if statement == "" || statement[0] == '#' {
			continue
		}
		for quoteOpen(statement) {
			if i++; i == len(all) {
				return nil, fmt.Errorf("line %d: %w", first+1, errOpen)
			}
			statement += "\n" + all[i]
		}
		set, err := godotenv.Unmarshal(statement)
		if _, nameless := set[""]; err != nil || nameless {
			return nil, fmt.Errorf("line %d: %w", first+1, errBadLine)
		}
		for name := range set {
			lines[name] = first + 1
		}
	}
	return lines, nil
}

// quoteOpen reports whether the value of a statement begins with a quote that the statement does
// not close. A backslash before a quote keeps it open.
func quoteOpen(statement string) bool {
	at := strings.IndexAny(statement, "=:")
	value := strings.TrimLeft(statement[at+1:], " \t")
	if at < 0 || value == "" || value[0] != '"' && value[0] != '\'' {
		return false
	}
	for i := 1; i < len(value); i++ {
		if value[i] == value[0] && value[i-1] != '\\' {
			return false
		}
	}
	return true
}

// readSecretFile is the secret that a file holds: its text without one final newline.
func readSecretFile(path string) (string, error) {
	text, err := readText(path, mostSecretFile)
	if err != nil {
		return "", err
	}
	value := strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	switch {
	case value == "":
		return "", errors.New("the file is empty")
	case strings.ContainsFunc(value, unicode.IsControl):
		return "", errors.New("the file has a control character, a second line or a tab say, which no secret has: " +
			"it holds the secret alone, with one newline at its end at most")
	}
	return value, nil
}
