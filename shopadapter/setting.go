package shopadapter

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/sethvargo/go-envconfig"
	"github.com/shopspring/decimal"
)

// A Setting is one environment variable of an adapter, see Variable, as a field of its struct of
// settings describes it.
type Setting struct {
	Name     string // upper case, for example TOKEN
	Default  string
	Meaning  string // one line
	Required bool
	Secret   bool   // never printed, and also read from the file that …_FILE names
	Writes   Fields // the groups that are written otherwise, and again, where the setting has changed
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
// secret has secret:"true"; writes names field groups, joined by commas, see Setting.Writes. The
// tags oneof and range say which values are good, see Fill. It panics where there is no such group.
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
// default. A value is one of the words of the tag oneof, which commas join, or within the tag range:
// "1..64" for whole numbers and amounts, "0..50 %" for a percentage, "1s.." for a span of time. A
// type of its own decides in its method EnvDecode, whose error does not echo the value; of any other
// type's error only the setting's meaning is shown.
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
		value, _ := set.Lookup(s.Name)
		fault := &Fault{Variable: prefix + s.Name}
		if fault.Text = unfit(field, value); fault.Text == "" {
			if err := process(one.Interface(), set); err != nil {
				_, decodes := reflect.New(field.Type).Interface().(envconfig.DecoderCtx)
				switch {
				case errors.Is(err, envconfig.ErrMissingRequired):
					fault.Text, fault.Missing = "is required: "+s.Meaning, true
				case decodes:
					fault.Text = strings.TrimPrefix(err.Error(), field.Name+": ")
				default:
					fault.Text = "is not good: " + s.Meaning
				}
			}
		}
		if fault.Text != "" {
			faults = append(faults, fault)
			one = reflect.New(one.Type().Elem())
			_ = process(one.Interface(), envconfig.MapLookuper(nil)) //nolint:errcheck // it is required
		}
		all.Field(i).Set(one.Elem().Field(0))
	}
	return faults
}

// unfit says what is wrong with the value of a field by its tags oneof and range; "": nothing.
func unfit(field reflect.StructField, value string) string {
	bounds, percent := strings.CutSuffix(field.Tag.Get("range"), " %")
	least, most, bounded := strings.Cut(bounds, "..")
	switch words := field.Tag.Get("oneof"); {
	case value == "":
	case words != "":
		if err := Choose(new(string), value, strings.Split(words, ",")...); err != nil {
			return err.Error()
		}
	case bounded && field.Type == reflect.TypeFor[time.Duration]():
		shortest, _ := time.ParseDuration(least) //nolint:errcheck // a test reads every tag
		if d, err := time.ParseDuration(value); err != nil || d < shortest {
			return fmt.Sprintf("is not a span of at least %s such as 24h or 90m", least)
		}
	case bounded:
		d, err := decimal.NewFromString(value)
		number := err == nil && len(value) <= 20 && d.Exponent() <= 6 // an exponent makes an endless number
		inside := number && d.GreaterThanOrEqual(decimal.RequireFromString(least)) &&
			d.LessThanOrEqual(decimal.RequireFromString(most))
		_, notWhole := strconv.Atoi(value)
		switch {
		case field.Type.Kind() == reflect.Int && (notWhole != nil || !inside):
			return fmt.Sprintf("is not a whole number from %s to %s", least, most)
		case !number:
			return "is not a number such as 12.5"
		case !inside && percent:
			return fmt.Sprintf("is not from %s to %s: it is a percentage, 21 means 21 %%", least, most)
		case !inside:
			return fmt.Sprintf("is not an amount from %s to %s", least, most)
		}
	}
	return ""
}

// process leaves a field alone that has no value: its EnvDecode is not asked about "".
func process(target any, from envconfig.Lookuper) error {
	return envconfig.ProcessWith(
		context.Background(),
		&envconfig.Config{Target: target, Lookuper: from, DefaultNoInit: true},
	)
}
