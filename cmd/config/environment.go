package config

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/joho/godotenv"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/regular"
)

// An Environment is the variables of the process and of env files. The process wins, then the last
// file. Of an account, its own file wins over both.
type Environment struct {
	process, files []string // what it was read from
	layers         []layer  // the first wins
	account        string   // the account whose environment it is; "": there is one alone, or it is the process's
	own            layer    // of the account's file, with what it may not set
}

// fileForm is the suffix of the variable that names a secret's file.
const fileForm = "_FILE"

// Read gathers the variables of the process and of env files.
func Read(process, files []string) (Environment, error) {
	e := Environment{process: process, files: files}
	own := map[string]string{}
	for _, entry := range process {
		if name, value, _ := strings.Cut(entry, "="); strings.HasPrefix(name, Prefix) {
			own[name] = value
		}
	}
	e.layers = []layer{{values: own}}
	var faults []error
	for _, file := range files {
		set, err := readFile(file)
		if err != nil {
			faults = append(faults, fmt.Errorf("--env-file %s: %w", file, err))
		}
		e.layers = slices.Insert(e.layers, 1, set)
	}
	return e, errors.Join(faults...)
}

// Again reads the env files again, but for an account's own: that is applied as a whole.
func (e Environment) Again() (Environment, error) {
	again, err := Read(e.process, e.files)
	if e.account != "" {
		again = again.of(e.account, e.own)
	}
	return again, err
}

// With returns e with one variable changed.
func (e Environment) With(name, value string) Environment {
	e.layers = slices.Insert(slices.Clone(e.layers), 0, layer{values: map[string]string{name: value}})
	return e
}

// Values returns the value of every variable that is set. A secret may stand in the file that its
// …_FILE variable names. A faulty value hides those of lower layers.
func (e Environment) Values() (values map[string]string, faults []error) {
	values = map[string]string{}
	find := func(name string, secret bool) (value string) {
		for _, l := range e.layers {
			value, err := l.lookup(name, secret)
			if err != nil {
				faults = append(faults, err)
			}
			if value != "" || err != nil {
				return value
			}
		}
		return ""
	}
	for _, v := range Variables() {
		if value := find(v.Name, v.Secret); value != "" {
			values[v.Name] = value
		}
	}
	for old, name := range renamed(values[Prefix+"SHOP_ADAPTER"]) {
		if value := find(old, false); value != "" && values[name] == "" {
			values[name] = value
		}
	}
	return values, faults
}

// Value is the value of a variable that is no secret, "" where it is not set. It reads no file.
func (e Environment) Value(name string) string {
	if i := e.setting(name); i >= 0 {
		return e.layers[i].values[name]
	}
	return ""
}

// setting is the layer that sets a variable, -1 for none.
func (e Environment) setting(name string) int {
	return slices.IndexFunc(e.layers, func(l layer) bool { return l.values[name] != "" })
}

// lookup returns a value of this layer, for a secret also from its file.
func (l layer) lookup(name string, secret bool) (string, error) {
	value, file := l.values[name], ""
	if secret {
		file = l.values[name+fileForm]
	}
	switch {
	case file == "":
		return value, nil
	case value != "":
		return "", faultOf(name, "is set, and so is %s%s: set one of them", name, fileForm)
	}
	value, err := readSecretFile(file)
	if err != nil {
		err = faultOf(name+fileForm, "%v", err)
	}
	return value, err
}

// located returns the faults with the line of the env file that sets the variable.
func (e Environment) located(faults []error) []error {
	out := slices.Clone(faults)
	for i, err := range out {
		var f *shopadapter.Fault
		if !errors.As(err, &f) {
			continue
		}
		if at := e.setting(f.Variable); at >= 0 && e.layers[at].file != "" {
			place := fmt.Sprintf(" (line %d of %s)", e.layers[at].lines[f.Variable], e.layers[at].file)
			out[i] = &shopadapter.Fault{Variable: f.Variable, Text: f.Text + place, Missing: f.Missing}
		}
	}
	return out
}

// Rereads reports whether a value comes from a file, which may change: an env file but an account's
// own, or one that the process or the account names for a secret.
func (e Environment) Rereads() bool {
	return len(e.files) > 0 || slices.ContainsFunc(Variables(), func(v Variable) bool {
		return v.Secret && e.setting(v.Name+fileForm) >= 0
	})
}

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

var (
	isPath     = regexp.MustCompile(`_(PATH|DIR|FILE)$`) // the variables that name a file or a folder
	assignment = regexp.MustCompile(`^\s*(?:export\s+)?(\w+)\s*[=:]`)
)

// readFile reads the variables of an env file. A relative path becomes relative to that file: cron
// runs a command in another folder, and means the same store and the same secrets.
func readFile(file string) (layer, error) {
	text, err := readText(file, mostEnvFile)
	if err != nil {
		return layer{}, err
	}
	l := layer{file: file, lines: map[string]int{}}
	if l.values, err = parse(text); err != nil {
		return layer{}, err
	}
	for i, line := range strings.Split(text, "\n") {
		if set := assignment.FindStringSubmatch(line); set != nil {
			l.lines[set[1]] = i + 1
		}
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

// parse reads an env file. An error names the line that cannot be read, and quotes nothing: there may be
// secrets in the file.
func parse(text string) (map[string]string, error) {
	values, err := unmarshal(text)
	if err == nil {
		return values, nil
	}
	why := errBadLine
	if strings.HasPrefix(err.Error(), "unterminated") {
		why = errOpen
	}
	lines, good := strings.SplitAfter(text, "\n"), 0
	for i := range lines {
		if _, err := unmarshal(strings.Join(lines[good:i], "")); err == nil {
			good = i
		}
	}
	return nil, fmt.Errorf("line %d: %w", good+1, why)
}

func unmarshal(text string) (map[string]string, error) {
	values, err := godotenv.Unmarshal(text)
	if _, nameless := values[""]; err == nil && nameless {
		err = errBadLine
	}
	return values, err
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
