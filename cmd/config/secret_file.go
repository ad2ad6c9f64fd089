package config

import (
	"errors"
	"strings"
	"unicode"

	"github.com/pubsync/pubsync/shopadapter/regular"
)

const (
	mostSecretFile = 64 << 10 // bytes of a file that holds one secret
	mostEnvFile    = 1 << 20  // bytes of an env file
)

// readSecretFile is the secret that a file holds: its text without one final newline.
func readSecretFile(path string) (string, error) {
	data, err := regular.Read(path, mostSecretFile)
	if err != nil {
		return "", err
	}
	text, err := textOf(data)
	if err != nil {
		return "", err
	}
	value := strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	switch {
	case value == "":
		return "", errors.New("the file is empty")
	case strings.ContainsFunc(value, unicode.IsControl):
		return "", errors.New("the file has a control character, a second line or a tab say, which no secret has: " +
			"it holds the secret alone, with one newline at its end at most")
	}
	return value, nil
}
