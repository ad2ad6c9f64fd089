// Package settingtest holds the settings of an adapter to the values that they shall accept and
// refuse.
package settingtest

import (
	"strings"
	"testing"
)

// A Row is one value of one setting: the row's name, the setting, the value, and a part of the
// error, "" for a value that is accepted.
type Row [4]string

// Secret stands in the values that no error may repeat.
const Secret = "hunter2"

// Run opens the adapter with each value in turn. open gets its other settings right.
func Run(t *testing.T, open func(setting, value string) error, rows []Row) {
	t.Helper()
	for _, row := range rows {
		name, setting, value, says := row[0], row[1], row[2], row[3]
		t.Run(name, func(t *testing.T) {
			switch err := open(setting, value); {
			case says == "" && err != nil:
				t.Errorf("refused: %v", err)
			case says != "" &&
				(err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "_"+setting)):
				t.Errorf("the error is %v, want %q and the name of the setting", err, says)
			case err != nil && strings.Contains(err.Error(), Secret):
				t.Errorf("the error repeats the value: %v", err)
			}
		})
	}
}
