package config

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"strings"

	"github.com/joho/godotenv"

	"github.com/pubsync/pubsync/shopadapter/regular"
)

// readFile reads the variables of an env file. A relative path of the store or of
// the accounts becomes relative to that file: cron runs a command in another folder, and means the
// same store.
func readFile(file string) (layer, error) {
	data, err := regular.Read(file, mostEnvFile)
	if err != nil {
		return layer{}, err
	}
	text, err := textOf(data)
	if err != nil {
		return layer{}, err
	}
	l := layer{file: file}
	l.lines, err = linesOf(text)
	if err != nil {
		return layer{}, err
	}
	if l.values, err = godotenv.Unmarshal(text); err != nil { // its text quotes the rest of the file, secrets among it
		return layer{}, errBadLine
	}
	maps.DeleteFunc(l.values, func(name, _ string) bool { return !strings.HasPrefix(name, Prefix) })
	for _, name := range []string{Prefix + "STORE_PATH", Prefix + "ACCOUNTS_DIR"} {
		if scheme, path := SplitStore(l.values[name]); scheme == "" && path != "" && !filepath.IsAbs(path) {
			l.values[name] = filepath.Join(filepath.Dir(file), path)
		}
	}
	return l, nil
}

// textOf returns the text of a file in UTF-8 without a byte order mark.
func textOf(data []byte) (string, error) {
	text := strings.TrimPrefix(string(data), "\ufeff")
	if strings.ContainsRune(text, 0) { // each letter of UTF-16 has such a byte
		return "", errEncoding
	}
	return text, nil
}

var (
	errEncoding = errors.New("the file is not text in UTF-8: save it as UTF-8")
	errBadLine  = errors.New("a line is not of the form KEY=value (put values with $ or # in single quotes)")
	errOpen     = errors.New("the quote is never closed")
)

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
		for quote := opened(statement); quote != 0 && !closes(statement, quote); {
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

// opened returns the quote with which the value of a statement begins, 0 for none.
func opened(statement string) byte {
	at := strings.IndexAny(statement, "=:")
	if at < 0 {
		return 0
	}
	if value := strings.TrimLeft(statement[at+1:], " \t"); value != "" && strings.IndexByte(`'"`, value[0]) >= 0 {
		return value[0]
	}
	return 0
}

// closes reports whether a statement closes the quote with which its value begins. A backslash
// before a quote keeps it open.
func closes(statement string, quote byte) bool {
	at := strings.IndexByte(statement, quote)
	for i := at + 1; i < len(statement); i++ {
		if statement[i] == quote && statement[i-1] != '\\' {
			return true
		}
	}
	return false
}
