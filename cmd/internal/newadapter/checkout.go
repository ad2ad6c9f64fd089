package newadapter

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Checkout returns the folder with the source of pubsync to build with: the one that is given, or
// for a program that is no release the one it was built from. A program that does not know that
// folder looks above itself and above the working folder. It is "" if there is none.
func Checkout(given string, release bool) (string, error) {
	if given != "" {
		dir, err := filepath.Abs(given)
		if err != nil {
			return "", err
		}
		if !holdsPubsync(dir) {
			return "", fmt.Errorf("%s does not hold the module %s", dir, Pubsync)
		}
		return dir, nil
	}
	_, file, _, _ := runtime.Caller(0)
	if release || strings.Contains(file, "@") {
		return "", nil // the module can require it: go install leaves its source in the module cache
	}
	program, _ := os.Executable()
	here, _ := os.Getwd()
	for _, within := range []string{file, program, filepath.Join(here, "pubsync")} {
		if dir := checkoutAbove(within); dir != "" {
			return dir, nil
		}
	}
	return "", nil
}

// Cached returns the source of this program's release in the module cache, where go install leaves
// it; "" where there is none.
func Cached() string {
	if _, file, _, _ := runtime.Caller(0); strings.Contains(file, "@") {
		return checkoutAbove(file)
	}
	return ""
}

// checkoutAbove is the folder above a file that holds the source of pubsync, "" for none.
func checkoutAbove(file string) string {
	if !filepath.IsAbs(file) {
		return ""
	}
	for dir := filepath.Dir(file); ; dir = filepath.Dir(dir) {
		if holdsPubsync(dir) {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
	}
}

func holdsPubsync(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	return err == nil && strings.HasPrefix(string(text), "module "+Pubsync+"\n")
}
