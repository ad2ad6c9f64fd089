package config

import (
	"bytes"
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

// An Environment is what the process, its env files and an account's own file set. The account's file
// wins, then the process, then the last env file. What is empty counts as unset.
type Environment struct {
	files   []string          // the env files
	shared  map[string]string // of the process and its env files
	tried   map[string]string // what With changed: it wins, and an empty value unsets
	account string            // the account whose environment it is; "": there is one alone, or it is the process's
	own     map[string]string // of the account's file
	ownFile string
}

const (
	fileForm       = "_FILE"  // the suffix of the variable that names a secret's file
	mostSecretFile = 64 << 10 // bytes of a file that holds one secret
	mostEnvFile    = 1 << 20  // bytes of an env file
)

// Read gathers the variables of the process and of env files.
func Read(process, files []string) (Environment, error) {
	e := Environment{files: files}
	var faults []error
	for _, file := range files {
		set, err := readFile(file)
		if err != nil {
			faults = append(faults, fmt.Errorf("--env-file %s: %w", file, err))
		}
		e.shared = over(e.shared, set)
	}
	own := map[string]string{}
	for _, entry := range process {
		if name, value, _ := strings.Cut(entry, "="); strings.HasPrefix(name, Prefix) && value != "" {
			own[name] = value
		}
	}
	e.shared = over(e.shared, own)
	return e, errors.Join(faults...)
}

// over lays what one source sets over what stands below it. A secret and its …_FILE form are one setting.
func over(below, set map[string]string) map[string]string {
	all := map[string]string{}
	for name, value := range below {
		setting := strings.TrimSuffix(name, fileForm)
		_, itself := set[setting]
		_, file := set[setting+fileForm]
		if !itself && !file {
			all[name] = value
		}
	}
	maps.Copy(all, set)
	return all
}

// With returns e with variables changed, over what an account sets too; a name may be without the prefix. An empty
// value unsets.
func (e Environment) With(set map[string]string) Environment {
	named := map[string]string{}
	for name, value := range set {
		named[Prefix+strings.TrimPrefix(name, Prefix)] = value
	}
	e.tried = over(e.tried, named)
	return e
}

func (e Environment) all() map[string]string { return over(over(e.shared, e.own), e.tried) }

// Values returns the value of every variable that is set. A secret may stand in the file that its …_FILE variable
// names. A variable of the process that an account's file sets is a fault, and so is one of an account that the process
// sets for all.
func (e Environment) Values() (values map[string]string, faults []error) {
	all, values := e.all(), map[string]string{}
	for _, v := range Variables() {
		value, file := all[v.Name], all[v.Name+fileForm]
		sets := func(source map[string]string) bool { return source[v.Name]+source[v.Name+fileForm] != "" }
		switch {
		case v.Of == ofProcess && sets(e.own):
			faults = append(faults, faultOf(v.Name, "is the process's, not an account's: set it in the process environment "+
				"(in %s)", e.ownFile))
		case v.Of == ofAccount && e.Several() && sets(e.shared):
			faults = append(faults, faultOf(v.Name, "is one account's: set it in that account's file, in the folder of "+
				"PUBSYNC_ACCOUNTS_DIR"))
		}
		switch {
		case !v.Secret || file == "":
		case value != "":
			faults = append(faults, faultOf(v.Name, "is set, and so is %s%s: set one of them", v.Name, fileForm))
			continue
		default:
			var err error
			if value, err = readSecretFile(file); err != nil {
				faults = append(faults, faultOf(v.Name+fileForm, "%v", err))
			}
		}
		if value != "" {
			values[v.Name] = value
		}
	}
	for old, name := range renamed(values[Prefix+"SHOP_ADAPTER"]) {
		if all[old] != "" && values[name] == "" {
			values[name] = all[old]
		}
	}
	return values, faults
}

// Value is the value of a variable that is no secret, "" where it is not set. It reads no file.
func (e Environment) Value(name string) string { return e.all()[name] }

// SecretFiles reports whether a secret lies in a file of its own, which may change.
func (e Environment) SecretFiles() bool {
	all := e.all()
	return slices.ContainsFunc(Variables(), func(v Variable) bool { return v.Secret && all[v.Name+fileForm] != "" })
}

var isPath = regexp.MustCompile(`_(PATH|DIR|FILE)$`) // the variables that name a file or a folder

// readFile reads the variables of an env file. A relative path becomes relative to that file: cron
// runs a command in another folder, and means the same store and the same secrets.
func readFile(file string) (map[string]string, error) {
	text, err := readText(file, mostEnvFile)
	if err != nil {
		return nil, err
	}
	values, err := parse(text)
	for name, value := range values {
		switch {
		case !strings.HasPrefix(name, Prefix) || value == "":
			delete(values, name)
		case isPath.MatchString(name) && !filepath.IsAbs(value) && !strings.Contains(value, "://"):
			values[name] = filepath.Join(filepath.Dir(file), value)
		}
	}
	return values, err
}

// parse reads an env file. An error names the line that cannot be read, and quotes nothing: there may be
// secrets in the file.
func parse(text string) (map[string]string, error) {
	read := func(text string) (values map[string]string, good bool) {
		values, err := godotenv.Unmarshal(text)
		_, nameless := values[""]
		return values, err == nil && !nameless
	}
	values, good := read(text)
	if good {
		return values, nil
	}
	lines, next := strings.SplitAfter(text, "\n"), 0
	for i := range lines {
		if _, good := read(strings.Join(lines[next:i], "")); good {
			next = i
		}
	}
	return nil, fmt.Errorf("line %d: the line is not of the form KEY=value, or its quote is never closed "+
		"(put values with $ or # in single quotes)", next+1)
}

// readSecretFile is the secret that a file holds: its text without one final newline.
func readSecretFile(path string) (string, error) {
	text, err := readText(path, mostSecretFile)
	value := strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	switch {
	case err != nil:
	case value == "":
		err = errors.New("the file is empty")
	case strings.ContainsFunc(value, unicode.IsControl):
		value, err = "", errors.New("the file has a control character, a second line or a tab say: "+
			"it holds the secret alone, with one newline at its end at most")
	}
	return value, err
}

// readText returns the text of a regular file in UTF-8, without a byte order mark. It never waits for
// another process, as the opening of a named pipe would. Its errors leave out the path, which is a value.
func readText(path string, most int64) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", cannotRead(err)
	case !info.Mode().IsRegular():
		return "", errors.New("it is a directory, a named pipe or a device: name a regular file, or a link to one")
	case info.Size() > most:
		return "", fmt.Errorf("the file is larger than %d KiB", most>>10)
	}
	data, err := os.ReadFile(path)
	switch {
	case err != nil:
		return "", cannotRead(err)
	case bytes.ContainsRune(data, 0): // each letter of UTF-16 has such a byte
		return "", errors.New("the file is not text in UTF-8: save it as UTF-8")
	}
	return strings.TrimPrefix(string(data), "\ufeff"), nil
}

// cannotRead leaves the path out of an error of package os.
func cannotRead(err error) error { return fmt.Errorf("cannot be read: %w", errors.Unwrap(err)) }

// DefaultAccount is the account of a process that has no folder of accounts.
const DefaultAccount = "default"

var accountName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// Accounts returns the file of each account by its name, nil and no error where PUBSYNC_ACCOUNTS_DIR names no
// folder. Files with names that no account can have are faults beside the others.
func (e Environment) Accounts() (files map[string]string, err error) {
	const variable, database = Prefix + "ACCOUNTS_DIR", Prefix + "STORE_URL"
	all := e.all()
	switch {
	case all[variable] == "":
		return nil, nil
	case all[database] == "" && all[database+fileForm] == "":
		return nil, faultOf(variable, "needs PUBSYNC_STORE_URL: several accounts of one process keep their state in "+
			"PostgreSQL. With a file for each account every account is a process of its own: take it out, and start "+
			"cmd/deploy/systemd/pubsync@.service once for each")
	}
	folder := Absolute(all[variable])
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, faultOf(variable, "%v", cannotRead(err))
	}
	files = map[string]string{}
	var faults []error
	for _, entry := range entries {
		name, ok := strings.CutSuffix(entry.Name(), ".env")
		switch {
		case !ok || entry.IsDir() || strings.HasPrefix(name, "."):
		case !accountName.MatchString(name) || name == "webhooks" || name == "oauth": // paths of the public listener
			faults = append(faults, faultOf(variable, "has a file %q: the name of an account is of lower case letters, "+
				"digits and dashes, begins with a letter or a digit, has 63 characters at most, and is not webhooks or "+
				"oauth", entry.Name()))
		default:
			files[name] = filepath.Join(folder, entry.Name())
		}
	}
	return files, errors.Join(faults...)
}

// Several reports whether there is a folder of accounts.
func (e Environment) Several() bool { return e.Value(Prefix+"ACCOUNTS_DIR") != "" }

// Account returns the environment of an account: what its file sets, and what the process sets for
// all accounts.
func (e Environment) Account(name, file string) (Environment, error) {
	own, err := readFile(file)
	if err != nil {
		return e, fmt.Errorf("%s: %w", file, err)
	}
	e.account, e.own, e.ownFile = name, own, file
	return e, nil
}
