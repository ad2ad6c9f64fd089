package config

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/joho/godotenv"
	"github.com/sethvargo/go-envconfig"

	"github.com/pubsync/pubsync/shopadapter/regular"
)

// An Environment is the variables of the process and of env files. The process wins, then the last
// file.
type Environment struct {
	process, files []string // what it was read from
	layers         []layer
}

// A layer is the variables that the process or an env file sets. An empty one counts as unset.
type layer map[string]string

// fileForm is the suffix of the variable that names a secret's file.
const fileForm = "_FILE"

// Read gathers the variables of the process and of env files.
func Read(process, files []string) (Environment, error) {
	e := Environment{process: process, files: files}
	own := layer{}
	for _, entry := range process {
		if name, value, _ := strings.Cut(entry, "="); strings.HasPrefix(name, Prefix) {
			own[name] = value
		}
	}
	e.layers = []layer{own}
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

// Again reads the env files again.
func (e Environment) Again() (Environment, error) { return Read(e.process, e.files) }

// With returns e with one variable changed.
func (e Environment) With(name, value string) Environment {
	e.layers = slices.Insert(slices.Clone(e.layers), 0, layer{name: value})
	return e
}

// readFile reads the variables of an env file. A relative store path becomes relative to that file:
// cron runs a command in another folder, and means the same store.
func readFile(file string) (layer, error) {
	data, err := regular.Read(file, mostEnvFile)
	if err != nil {
		return nil, err
	}
	set, err := godotenv.UnmarshalBytes(data)
	if err != nil { // its text quotes the rest of the file, secrets among it
		return nil, errors.New("a line is not of the form KEY=value (put values with $ or # in single quotes)")
	}
	maps.DeleteFunc(set, func(name, _ string) bool { return !strings.HasPrefix(name, Prefix) })
	const store = Prefix + "STORE_PATH"
	if scheme, path := SplitStore(set[store]); scheme == "" && path != "" && !filepath.IsAbs(path) {
		set[store] = filepath.Join(filepath.Dir(file), path)
	}
	return set, nil
}

// known returns every name that may be set, with true for a secret.
func known() map[string]bool {
	names := map[string]bool{}
	for _, v := range Variables() {
		names[v.Name] = v.Secret
		if v.Secret {
			names[v.Name+fileForm] = false
		}
	}
	return names
}

// Values returns the value of every variable that is set. A secret may stand in the file that its
// …_FILE variable names.
func (e Environment) Values() (values map[string]string, faults []error) {
	var chain []envconfig.Lookuper
	names := known()
	for _, l := range e.layers {
		chain = append(chain, envconfig.LookuperFunc(func(name string) (string, bool) {
			value, err := l.lookup(name, names[name])
			if err != nil {
				faults = append(faults, err)
			}
			return value, value != "" || err != nil // a faulty value still hides those of lower layers
		}))
	}
	all, values := envconfig.MultiLookuper(chain...), map[string]string{}
	for name := range names {
		if value, _ := all.Lookup(name); value != "" {
			values[name] = value
		}
	}
	return values, faults
}

// lookup returns a value of this layer, for a secret also from its file.
func (l layer) lookup(name string, secret bool) (string, error) {
	value, file := l[name], ""
	if secret {
		file = l[name+fileForm]
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

// Rereads reports whether a value comes from a file, which may change.
func (e Environment) Rereads() bool {
	names := known()
	return len(e.files) > 0 || slices.ContainsFunc(slices.Collect(maps.Keys(e.layers[0])), func(name string) bool {
		secret, isFile := strings.CutSuffix(name, fileForm)
		return isFile && names[secret]
	})
}
