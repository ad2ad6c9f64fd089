package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/joho/godotenv"
)

// An Environment is what the process, env files and an account's file set. The account's file wins, then the
// process, then the last env file. Empty means unset.
type Environment struct {
	Account string // whose environment this is; "": the only account's, or the process's

	shared map[string]string // set by the process and env files
	tried  map[string]string // set by With
	own    map[string]string // set by the account's file
	faults []error           // of env files
}

const (
	fileForm     = "_FILE"  // of the variable that names a secret's file
	mostFile     = 64 << 10 // bytes, of a secret's or an env file
	longestValue = 100      // lines, in quotes
)

// Read gathers the variables of process and env files. The faults of these files are told by Accounts and Load.
func Read(process, files []string) (e Environment) {
	for _, file := range files {
		set, err := readFile(file)
		if err != nil {
			e.faults = append(e.faults, fmt.Errorf("--env-file %s: %w", file, err))
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
	return e
}

// over lays one source over another. A secret and its …_FILE form are one setting.
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

// With returns e with variables changed, even an account's own. Names may lack the prefix; an empty value unsets.
func (e Environment) With(set map[string]string) Environment {
	named := map[string]string{}
	for name, value := range set {
		named[Prefix+strings.TrimPrefix(name, Prefix)] = value
	}
	e.tried = over(e.tried, named)
	return e
}

func (e Environment) all() map[string]string { return over(over(e.shared, e.own), e.tried) }

// Values returns each set variable, with secrets from files. An account must not set what is the process's, nor the
// reverse.
func (e Environment) Values() (values map[string]string, faults []error) {
	all, values := e.all(), map[string]string{}
	for _, v := range Variables() {
		value, file := cmp.Or(all[v.Name], all[former(all[Prefix+"SHOP_ADAPTER"], v.Name)]), all[v.Name+fileForm]
		sets := func(source map[string]string) bool { return source[v.Name]+source[v.Name+fileForm] != "" }
		switch {
		case v.Of == ofProcess && sets(e.own):
			faults = append(faults, faultOf(v.Name, "is the process's, not an account's: set it in the process environment "+
				"(in %s.env)", e.Account))
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
	return values, faults
}

// Value returns a variable that is not a secret: it reads no file.
func (e Environment) Value(name string) string { return e.all()[name] }

var isPath = regexp.MustCompile(`_(PATH|DIR|FILE)$`)

// readFile makes paths relative to the env file: cron runs a command in another folder, and means the same store.
func readFile(file string) (map[string]string, error) {
	text, err := readText(file)
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

// parse returns what the good lines set. It names the others in its error, and quotes nothing: there may be secrets.
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
	var bad []string
	values = map[string]string{}
	lines := strings.SplitAfter(text, "\n")
	for next := 0; next < len(lines); next++ {
		end, set := next+1, values
		for ; end <= min(len(lines), next+longestValue) && !good; end++ {
			set, good = read(strings.Join(lines[next:end], ""))
		}
		if good {
			next, good = end-2, false
			maps.Copy(values, set)
		} else {
			bad = append(bad, strconv.Itoa(next+1))
		}
	}
	return values, fmt.Errorf("line %s: not of the form KEY=value, or a quote is never closed "+
		"(put values with $ or # in single quotes)", strings.Join(bad, ", "))
}

// readSecretFile returns the text of a file without one final newline.
func readSecretFile(path string) (string, error) {
	text, err := readText(path)
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

// readText never waits, as opening a named pipe would. Its errors leave out the path, which is a value.
func readText(path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return "", cannotRead(err)
	case !info.Mode().IsRegular():
		return "", errors.New("it is a directory, a named pipe or a device: name a regular file, or a link to one")
	case info.Size() > mostFile:
		return "", fmt.Errorf("the file is larger than %d KiB", mostFile>>10)
	}
	data, err := os.ReadFile(path)
	switch {
	case err != nil:
		return "", cannotRead(err)
	case bytes.ContainsRune(data, 0): // as in UTF-16
		return "", errors.New("the file is not text in UTF-8: save it as UTF-8")
	}
	return strings.TrimPrefix(string(data), "\ufeff"), nil
}

func cannotRead(err error) error { return fmt.Errorf("cannot be read: %w", errors.Unwrap(err)) }

// DefaultAccount is the account of a process without a folder of accounts.
const DefaultAccount = "default"

var accountName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// Accounts returns the names of the accounts, none without PUBSYNC_ACCOUNTS_DIR. Files with impossible names are
// faults beside them.
func (e Environment) Accounts() (names []string, err error) {
	const variable, database = Prefix + "ACCOUNTS_DIR", Prefix + "STORE_URL"
	all := e.all()
	switch {
	case len(e.faults) > 0: // they may set it
		return nil, errors.Join(e.faults...)
	case all[variable] == "":
		return nil, nil
	case all[database] == "" && all[database+fileForm] == "":
		return nil, faultOf(variable, "needs PUBSYNC_STORE_URL: several accounts of one process keep their state in "+
			"PostgreSQL. With a file for each account every account is a process of its own: take it out, and start "+
			"cmd/deploy/systemd/pubsync@.service once for each")
	}
	entries, err := os.ReadDir(all[variable])
	if err != nil {
		return nil, faultOf(variable, "%v", cannotRead(err))
	}
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
			names = append(names, name)
		}
	}
	if len(names)+len(faults) == 0 {
		return nil, faultOf(variable, "has no account: put a file NAME.env into the folder")
	}
	return names, errors.Join(faults...)
}

// Several reports whether there is a folder of accounts.
func (e Environment) Several() bool { return e.Value(Prefix+"ACCOUNTS_DIR") != "" }

// Of returns e with an account's own file.
func (e Environment) Of(name string) (Environment, error) {
	file := filepath.Join(e.Value(Prefix+"ACCOUNTS_DIR"), name+".env")
	own, err := readFile(file)
	if err != nil {
		return e, fmt.Errorf("%s: %w", file, err)
	}
	e.Account, e.own = name, own
	return e, nil
}
