package shopadapter

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/sethvargo/go-envconfig"
)

// A Setting is one environment variable of an adapter, see Variable, as a field of its struct of
// settings describes it.
type Setting struct {
	Name     string // upper case, for example TOKEN
	Default  string
	Meaning  string // one line
	Required bool
	Secret   bool // never printed, and also read from the file that …_FILE names
	// Writes is the field groups that are written otherwise where the setting has changed: the
	// caller then has each listing written again, in these groups.
	Writes Fields
}

// A Fault is what is wrong with one environment variable. It never shows a value.
type Fault struct {
	Variable string
	Text     string
	Missing  bool // it is required and not set
}

func (f *Fault) Error() string { return f.Variable + ": " + f.Text }

// SettingsOf lists what a struct of settings describes in the tags of its fields, in their order.
// The tag env is go-envconfig's, with "required" or "default="; meaning is one line for people; a
// secret has secret:"true"; writes names field groups, joined by commas, see Setting.Writes. It
// panics where there is no such group.
func SettingsOf(settings any) (list []Setting) {
	if settings == nil {
		return nil
	}
	t := reflect.TypeOf(settings)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		name, options, _ := strings.Cut(tag.Get("env"), ",")
		options, value, _ := strings.Cut(options, "default=")
		var writes Fields
		if groups := tag.Get("writes"); groups != "" {
			var err error
			if writes, err = ParseFields(strings.Split(groups, ",")...); err != nil {
				panic(fmt.Sprintf("setting %s: %v", name, err))
			}
		}
		list = append(list, Setting{
			Name: name, Default: value, Meaning: tag.Get("meaning"), Writes: writes,
			Required: strings.Contains(options, "required"), Secret: tag.Get("secret") == "true",
		})
	}
	return list
}

// Fill fills a struct of settings, given as a pointer. An empty value counts as unset. All faults
// are returned, each a *Fault with prefix before its name, and a field with a fault has its
// default. A type of its own tells what a good value is in its method EnvDecode, whose error does
// not echo the value; of any other type's error only the setting's meaning is shown.
func Fill(settings any, prefix string, from envconfig.Lookuper) (faults []error) {
	set := envconfig.LookuperFunc(func(name string) (string, bool) {
		value, ok := from.Lookup(name)
		return value, ok && value != ""
	})
	all := reflect.ValueOf(settings).Elem()
	for i, s := range SettingsOf(settings) {
		// envconfig ends at the first fault: each field is a struct of its own.
		field := all.Type().Field(i)
		one := reflect.New(reflect.StructOf([]reflect.StructField{field}))
		if err := process(one.Interface(), set); err != nil {
			fault := &Fault{Variable: prefix + s.Name, Text: "is not good: " + s.Meaning}
			_, decodes := reflect.New(field.Type).Interface().(envconfig.DecoderCtx)
			switch {
			case errors.Is(err, envconfig.ErrMissingRequired):
				fault.Text, fault.Missing = "is required: "+s.Meaning, true
			case decodes:
				fault.Text = strings.TrimPrefix(err.Error(), field.Name+": ")
			}
			faults = append(faults, fault)
			one = reflect.New(one.Type().Elem())
			_ = process(one.Interface(), envconfig.MapLookuper(nil)) //nolint:errcheck // it is required
		}
		all.Field(i).Set(one.Elem().Field(0))
	}
	return faults
}

// process leaves a field alone that has no value: its EnvDecode is not asked about "".
func process(target any, from envconfig.Lookuper) error {
	return envconfig.ProcessWith(
		context.Background(),
		&envconfig.Config{Target: target, Lookuper: from, DefaultNoInit: true},
	)
}
