package config

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"path/filepath"
	"strconv"
	"strings"
)

// A listen is an address to listen on, "" where it is off.
type listen string

func (l *listen) EnvDecode(_ context.Context, s string) error {
	if s == "off" {
		return nil
	}
	*l = listen(s)
	_, port, err := net.SplitHostPort(s)
	if n, perr := strconv.Atoi(port); err != nil || perr != nil || n < 0 || n > 65535 {
		return errors.New("is not an address such as 127.0.0.1:9464 or :8080")
	}
	return nil
}

func (l listen) loopback() bool {
	host, _, _ := net.SplitHostPort(string(l)) //nolint:errcheck // it was read
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.IsLoopback()
}

// Absolute returns the absolute path, so that a message names the same file in every folder.
func Absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path // the working folder is gone, and opening says so
}

// headerPrefix begins the name of a header.
type headerPrefix string

func (p *headerPrefix) EnvDecode(_ context.Context, s string) error {
	*p = headerPrefix(s)
	if !only(s, letters+digits+"-") {
		return errors.New("is not the beginning of a header's name such as X-Service")
	}
	return nil
}
