package cmd

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/joho/godotenv"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/regular"
)

const envDefault = ", default="

// splitTag is the variable and its default of an envconfig tag.
func splitTag(tag string) (name, def string) {
	name, def, _ = strings.Cut(tag, envDefault)
	return name, def
}

// An environment is the variables of this program: those of the process, and below them those of the env files. An empty one counts as unset.
type environment struct {
	values map[string]string
	files  map[string]string // the env file of each that a file sets and the process does not

	process, paths []string // what it was read from
}

func (e environment) clone() environment {
	e.values, e.files = maps.Clone(e.values), maps.Clone(e.files)
	return e
}

// Lookup is envconfig's: key is without the prefix.
func (e environment) Lookup(key string) (string, bool) {
	v := e.values[envPrefix+key]
	return v, v != ""
}

// readEnvironment gathers PUBSYNC_ variables. The process's win over the files'; of the files a later one wins.
func readEnvironment(environ []string, files []string) (environment, error) {
	e := environment{values: map[string]string{}, files: map[string]string{}, process: environ, paths: files}
	var faults []error
	for _, file := range files {
		data, err := regular.Read(file, mostEnvFile)
		if err != nil {
			faults = append(faults, fmt.Errorf("--env-file %s: %w", file, err))
			continue
		}
		// godotenv's syntax errors quote the rest of the file, secrets among it.
		values, err := godotenv.UnmarshalBytes(data)
		if err != nil {
			faults = append(faults, fmt.Errorf("--env-file %s: a line is not of the form KEY=value (put values with $ or # in single quotes)", file))
			continue
		}
		for key, value := range values {
			e.set(key, value, file)
		}
	}
	for _, entry := range environ {
		if key, value, ok := strings.Cut(entry, "="); ok {
			e.set(key, value, "")
		}
	}
	return e, errors.Join(faults...)
}

// set takes a variable from an env file, or with file "" from the process. The store's path is relative to the file that sets it: a command started in
// another folder, as cron does, means the same store.
func (e environment) set(key, value, file string) {
	if !strings.HasPrefix(key, envPrefix) || value == "" {
		return
	}
	if key == envPrefix+"STORE_PATH" && file != "" && !filepath.IsAbs(value) {
		value = filepath.Join(filepath.Dir(file), value)
	}
	e.values[key], e.files[key] = value, file
}

// fromFile reports whether an env file sets the variable.
func (e environment) fromFile(key string) bool { return e.files[key] != "" }

// readSecretFiles puts the content of the file that a secret's …_FILE form names in its place.
func (e environment) readSecretFiles(vars []variable) (faults []error) {
	for _, v := range vars {
		file := e.values[v.name+"_FILE"]
		if !v.secret || file == "" {
			continue
		}
		switch both := e.values[v.name] != ""; {
		case both && e.fromFile(v.name+"_FILE") && !e.fromFile(v.name):
			continue // the process environment wins over a file
		case both && e.fromFile(v.name) && !e.fromFile(v.name+"_FILE"):
		case both:
			faults = append(faults, faultOf(v.name, "is set, and so is %s_FILE: set one of them", v.name))
			continue
		}
		value, err := readSecretFile(file)
		if err != nil {
			faults = append(faults, faultOf(v.name+"_FILE", "%v", err))
			delete(e.values, v.name) // what an env file sets beside it is not what is wanted
			continue
		}
		e.values[v.name] = value
	}
	return faults
}

// injected reports whether Kubernetes sets the variable for a Service that is called pubsync.
func injected(name string) bool {
	return name == envPrefix+"PORT" || strings.HasPrefix(name, envPrefix+"PORT_") || strings.HasPrefix(name, envPrefix+"SERVICE_")
}

// unknown is a fault for each variable that the program does not know, with the nearest name that it does.
func (e environment) unknown(vars []variable) (faults []error) {
	known := map[string]bool{}
	var names []string
	for _, v := range vars {
		known[v.name] = true
		names = append(names, v.name)
		if v.secret {
			known[v.name+"_FILE"] = true
			names = append(names, v.name+"_FILE")
		}
	}
	for name := range e.values {
		if known[name] || injected(name) {
			continue
		}
		faults = append(faults, faultOf(name, "no such setting; did you mean %s?", nearest(name, names)))
	}
	return faults
}

// nearest is the name that the one given is the beginning of, or else the one with the fewest edits between them.
func nearest(name string, names []string) string {
	var longer []string
	for _, n := range names {
		if strings.HasPrefix(n, name+"_") {
			longer = append(longer, n)
		}
	}
	if len(longer) > 0 {
		names = longer
	}
	return slices.MinFunc(names, func(a, b string) int { return distance(name, a) - distance(name, b) })
}

// distance is the number of single-character edits between two names.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		last := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := last
			if a[i-1] != b[j-1] {
				cost++
			}
			last, row[j] = row[j], min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}

// adapterVariables is the variables of all adapters compiled in, in the order of their names.
func adapterVariables() []variable {
	var vars []variable
	for _, name := range shopadapter.Names() {
		f, _ := shopadapter.Lookup(name)
		for i, s := range f.Settings {
			v := variable{name: adapterVariable(name, s.Name), def: s.Default, meaning: s.Meaning, secret: s.Secret}
			if i == 0 {
				v.group = "Shop adapter " + name + ": " + f.Summary
			}
			vars = append(vars, v)
		}
	}
	return vars
}

func adapterVariable(adapter, setting string) string {
	return shopadapter.Variable(adapter, setting)
}

func allVariables() []variable { return append(ownVariables(), adapterVariables()...) }
