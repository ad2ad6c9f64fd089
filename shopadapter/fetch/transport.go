package fetch

import (
	"net/http"
	"slices"
)

// Transport is a transport that dials public addresses alone, and those of the hosts that are
// allowed, each as host or host:port. It uses no proxy. What is asked for through it is judged again
// at each redirect, by the address that is dialled.
func Transport(allow ...string) *http.Transport {
	return newTransport(guard{allow: slices.Clone(allow)})
}
