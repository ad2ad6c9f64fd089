package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/sethvargo/go-envconfig"

	"github.com/pubsync/pubsync/shopadapter"
)

// An Environment is the variables of the process and of env files. The process wins, then the last
// file.
type Environment struct {
	process, files []string // what it was read from
	layers         []layer
	account        string // the account whose environment it is; "": there is one alone, or it is the process's
	own            layer  // of the account's file
}

// A layer is the variables that the process or an env file sets. An empty one counts as unset.
type layer struct {
	values map[string]string
	file   string         // "": the process
	lines  map[string]int // of the file, by variable
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
	again.account, again.own = e.account, e.own
	return again, err
}

// With returns e with one variable changed.
func (e Environment) With(name, value string) Environment {
	e.layers = slices.Insert(slices.Clone(e.layers), 0, layer{values: map[string]string{name: value}})
	return e
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
	for _, l := range e.all() {
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
	for old, name := range renamed(values[Prefix+"SHOP_ADAPTER"]) {
		if value, _ := all.Lookup(old); value != "" && values[name] == "" {
			values[name] = value
		}
	}
	return values, faults
}

// Value is the value of a variable that is no secret, "" where it is not set. It reads no file.
func (e Environment) Value(name string) string {
	for _, l := range e.layers {
		if value := l.values[name]; value != "" {
			return value
		}
	}
	return ""
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
		if errors.As(err, &f) {
			out[i] = &shopadapter.Fault{Variable: f.Variable, Text: f.Text + e.place(f.Variable), Missing: f.Missing}
		}
	}
	return out
}

// place says which line of an env file sets a variable, "" for one that no file sets.
func (e Environment) place(variable string) string {
	for _, l := range e.all() {
		if l.values[variable] == "" {
			continue
		}
		if l.file == "" {
			return ""
		}
		return fmt.Sprintf(" (line %d of %s)", l.lines[variable], l.file)
	}
	return ""
}

// Rereads reports whether a value comes from a file, which may change.
func (e Environment) Rereads() bool {
	names := known()
	named := func(l layer) bool {
		return slices.ContainsFunc(slices.Collect(maps.Keys(l.values)), func(name string) bool {
			secret, isFile := strings.CutSuffix(name, fileForm)
			return isFile && names[secret]
		})
	}
	return len(e.files) > 0 || named(e.layers[0]) || named(e.own)
}
