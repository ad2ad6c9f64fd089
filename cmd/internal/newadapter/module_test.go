package newadapter

import (
	"os"
	"regexp"
	"testing"
)

func TestGoVersionIsThatOfTheModule(t *testing.T) {
	text, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if m := regexp.MustCompile(`(?m)^go (\S+)$`).FindStringSubmatch(string(text)); m == nil || m[1] != goVersion {
		t.Errorf("go.mod says %v, module.go says %s", m, goVersion)
	}
}
