package nodeserver

import (
	"errors"
	"net/http"
)

// A Lossy transport loses one answer, once so many requests have been made.
type Lossy struct {
	Next http.RoundTripper
	Left int // requests up to the one whose answer is lost; 0: none is
}

// RoundTrip implements http.RoundTripper.
func (l *Lossy) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := l.Next.RoundTrip(r)
	if l.Left > 0 {
		if l.Left--; l.Left == 0 && err == nil {
			_ = response.Body.Close()
			return nil, errors.New("the answer was lost")
		}
	}
	return response, err
}
