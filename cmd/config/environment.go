package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/joho/godotenv"
)

// An Environment is the variables of the process and of env files. The process wins, then the last
// file. Of an account, its own file wins over both.
type Environment struct {
	files   []string // the env files
	tried   layer    // what With changed
	layers  []layer  // below it, the first wins: that of an account's own file, with what it may not set
	account string   // the account whose environment it is; "": there is one alone, or it is the process's
}

// A layer is the variables that the process or an env file sets. An empty one counts as unset.
type layer struct {
	values map[string]string
	file   string // "": the process
}

const (
	fileForm       = "_FILE"  // the suffix of the variable that names a secret's file
	mostSecretFile = 64 << 10 // bytes of a file that holds one secret
	mostEnvFile    = 1 << 20  // bytes of an env file
)

// Read gathers the variables of the process and of env files.
func Read(process, files []string) (Environment, error) {
	e := Environment{files: files}
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

// With returns e with one variable changed, over what an account sets too.
func (e Environment) With(name, value string) Environment {
	changed := map[string]string{}
	maps.Copy(changed, e.tried.values)
	changed[name] = value
	e.tried.values = changed
	return e
}

// Values returns the value of every variable that is set. A secret may stand in the file that its
// …_FILE variable names. A faulty value hides those of lower layers.
func (e Environment) Values() (values map[string]string, faults []error) {
	values = map[string]string{}
	find := func(name string, secret bool) string {
		for _, l := range append([]layer{e.tried}, e.layers...) {
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
	for _, l := range append([]layer{e.tried}, e.layers...) {
		if value := l.values[name]; value != "" {
			return value
		}
	}
	return ""
}

// lookup returns a value of this layer, for a secret also from its file.
func (l layer) lookup(name string, secret bool) (string, error) {
	value, file := l.values[name], l.values[name+fileForm]
	switch {
	case !secret || file == "":
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

// SecretFiles reports whether a secret lies in a file of its own, which may change.
func (e Environment) SecretFiles() bool {
	return slices.ContainsFunc(Variables(), func(v Variable) bool { return v.Secret && e.Value(v.Name+fileForm) != "" })
}

var (
	errEncoding = errors.New("the file is not text in UTF-8: save it as UTF-8")
	errBadLine  = errors.New("the line is not of the form KEY=value, or its quote is never closed " +
		"(put values with $ or # in single quotes)")
	isPath = regexp.MustCompile(`_(PATH|DIR|FILE)$`) // the variables that name a file or a folder
)

// readFile reads the variables of an env file. A relative path becomes relative to that file: cron
// runs a command in another folder, and means the same store and the same secrets.
func readFile(file string) (layer, error) {
	text, err := readText(file, mostEnvFile)
	if err != nil {
		return layer{}, err
	}
	l := layer{file: file}
	if l.values, err = parse(text); err != nil {
		return layer{}, err
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
	data, err := readRegular(file, most)
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
	lines, good := strings.SplitAfter(text, "\n"), 0
	for i := range lines {
		if _, err := unmarshal(strings.Join(lines[good:i], "")); err == nil {
			good = i
		}
	}
	return nil, fmt.Errorf("line %d: %w", good+1, errBadLine)
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
		return "", errors.New("the file has a control character, a second line or a tab say: " +
			"it holds the secret alone, with one newline at its end at most")
	}
	return value, nil
}

// DefaultAccount is the account of a process that has no folder of accounts.
const DefaultAccount = "default"

var accountName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// CheckAccount returns why an account cannot have a name; nil: it can. The public listener has paths of its own.
func CheckAccount(name string) error {
	if !accountName.MatchString(name) || name == "webhooks" || name == "oauth" {
		return errors.New("the name of an account is of lower case letters, digits and dashes, begins with a letter " +
			"or a digit, has 63 characters at most, and is not webhooks or oauth")
	}
	return nil
}

// Accounts returns the file of each account in a folder. The files whose names no account can have
// are faults; hidden ones, and those with another ending, are passed over.
func Accounts(folder string) (files map[string]string, err error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		var p *os.PathError
		if errors.As(err, &p) {
			err = p.Err // without the path, which is a value
		}
		return nil, faultOf(Prefix+"ACCOUNTS_DIR", "cannot be read: %v", err)
	}
	files = map[string]string{}
	var faults []error
	for _, e := range entries {
		name, ok := strings.CutSuffix(e.Name(), ".env")
		if !ok || e.IsDir() || strings.HasPrefix(name, ".") {
			continue
		}
		if err := CheckAccount(name); err != nil {
			faults = append(faults, faultOf(Prefix+"ACCOUNTS_DIR", "has a file %q: %v", e.Name(), err))
			continue
		}
		files[name] = filepath.Join(folder, e.Name())
	}
	return files, errors.Join(faults...)
}

// AccountsDir is the folder of accounts, "" where there is one account alone.
func (e Environment) AccountsDir() string {
	if dir := e.Value(Prefix + "ACCOUNTS_DIR"); dir != "" {
		return Absolute(dir)
	}
	return ""
}

// CheckAccounts returns the fault of a folder of accounts without a database; nil: there is none.
func (e Environment) CheckAccounts() error {
	const database = Prefix + "STORE_URL"
	if e.AccountsDir() == "" || e.Value(database) != "" || e.Value(database+fileForm) != "" {
		return nil
	}
	return faultOf(Prefix+"ACCOUNTS_DIR", "needs PUBSYNC_STORE_URL: several accounts of one process keep their state "+
		"in PostgreSQL. With a file for each account every account is a process of its own: take it out, and start "+
		"cmd/deploy/systemd/pubsync@.service once for each")
}

// Account returns the environment of an account: what its file sets, and what the process sets for
// all accounts.
func (e Environment) Account(name, file string) (Environment, error) {
	own, err := readFile(file)
	if err != nil {
		return e, fmt.Errorf("%s: %w", file, err)
	}
	e.account, e.layers = name, append([]layer{own}, e.layers...)
	return e, nil
}

// misplaced is a fault for each variable of the process that an account's file sets, and for each
// of an account that the process sets for all.
func (e Environment) misplaced() (faults []error) {
	own, others := layer{}, e.layers
	if e.account != "" {
		own, others = others[0], others[1:]
	} else if err := e.CheckAccounts(); err != nil {
		faults = append(faults, err)
	}
	for _, v := range Own() {
		for _, name := range []string{v.Name, v.Name + fileForm} {
			set := func(l layer) bool { return l.values[name] != "" }
			switch {
			case v.Of == ofProcess && set(own):
				faults = append(faults, faultOf(
					name, "is the process's, not an account's: set it in the process environment (in %s)", own.file))
			case v.Of == ofAccount && e.AccountsDir() != "" && slices.ContainsFunc(others, set):
				faults = append(faults, faultOf(
					name, "is one account's: set it in that account's file, in the folder of PUBSYNC_ACCOUNTS_DIR"))
			}
		}
	}
	return faults
}
