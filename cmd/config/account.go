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
)

// The classes of variables where there are several accounts, see Variable.Of.
const (
	ofProcess = "process"
	ofAccount = "account"
)

// DefaultAccount is the account of a process that has no folder of accounts.
const DefaultAccount = "default"

const accountSuffix = ".env"

var accountName = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,62}$`)

// reserved are names that would be read as another path of a listener.
var reserved = []string{"webhooks", "oauth"}

// CheckAccount returns why an account cannot have a name; nil: it can.
func CheckAccount(name string) error {
	switch {
	case !accountName.MatchString(name):
		return errors.New("the name of an account is of lower case letters, digits and dashes, begins with a letter or " +
			"a digit, and has 63 characters at most")
	case slices.Contains(reserved, name):
		return fmt.Errorf("an account is not called %s: the public listener has a path of that name",
			strings.Join(reserved, " or "))
	default:
		return nil
	}
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
		name, ok := strings.CutSuffix(e.Name(), accountSuffix)
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
	return faultOf(Prefix+"ACCOUNTS_DIR", "needs PUBSYNC_STORE_URL: several accounts of one process keep their state in "+
		"PostgreSQL. With a file for each account every account is a process of its own: take it out, and start "+
		"cmd/deploy/systemd/pubsync@.service once for each")
}

// Account returns the environment of an account: what its file sets, and what the process sets for
// all accounts. The file is not read again.
func (e Environment) Account(name, file string) (Environment, error) {
	own, err := readFile(file)
	if err != nil {
		return e, fmt.Errorf("%s: %w", file, err)
	}
	return e.of(name, own), nil
}

// of is the environment of an account. What is the process's is not looked up in the account's
// file, nor what is an account's in the process.
func (e Environment) of(account string, own layer) Environment {
	theirs, layers := namesOf(ofAccount), []layer{own.without(namesOf(ofProcess))}
	for _, l := range e.layers {
		layers = append(layers, l.without(theirs))
	}
	e.account, e.own, e.layers = account, own, layers
	return e
}

func (l layer) without(names []string) layer {
	l.values = maps.Clone(l.values)
	for _, name := range names {
		delete(l.values, name)
	}
	return l
}

// namesOf is the variables of a class, and those that name the file of a secret.
func namesOf(class string) (names []string) {
	for _, v := range Own() {
		if v.Of == class {
			names = append(names, v.Name)
			if v.Secret {
				names = append(names, v.Name+fileForm)
			}
		}
	}
	return names
}

// misplaced is a fault for each variable of the process that an account's file sets, and for each
// of an account that the process sets for all.
func (e Environment) misplaced() (faults []error) {
	if e.account != "" {
		for _, name := range namesOf(ofProcess) {
			if e.own.values[name] != "" {
				faults = append(faults, faultOf(name, "is the process's, not an account's: set it in the process "+
					"environment (line %d of %s)", e.own.lines[name], e.own.file))
			}
		}
		return faults
	}
	if e.AccountsDir() == "" {
		return nil
	}
	if err := e.CheckAccounts(); err != nil {
		faults = append(faults, err)
	}
	for _, name := range namesOf(ofAccount) {
		if e.setting(name) >= 0 {
			faults = append(faults, faultOf(name, "is one account's: set it in the file of that account, in the folder "+
				"of PUBSYNC_ACCOUNTS_DIR"))
		}
	}
	return faults
}
