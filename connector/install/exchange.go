package install

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	exchangeTimeout = 10 * time.Second
	exchangeAnswer  = 64 << 10 // bytes
	longestToken    = 4 << 10
)

// A grant is what the marketplace gave for a code.
type grant struct {
	token  string
	scopes []string
}

// newClient is the client of the exchange. It follows no redirect, which would carry the app's
// secret elsewhere, and sends nothing a second time.
func newClient(next http.RoundTripper) *http.Client {
	if next == nil {
		next = &http.Transport{
			Proxy:               http.ProxyFromEnvironment,
			DisableKeepAlives:   true,
			TLSHandshakeTimeout: exchangeTimeout,
		}
	}
	return &http.Client{
		Transport: next, Timeout: exchangeTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// exchange gives the code to the marketplace, once. Its error quotes nothing of the answer, which
// may hold the code or the app's secret.
func (h *Handler) exchange(ctx context.Context, code, secret string) (grant, error) {
	body, err := json.Marshal(map[string]string{
		"grant_type": "authorization_code", "code": code, "client_id": h.ClientID, "client_secret": secret,
	})
	if err != nil {
		return grant{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.AuthURL+"/oauth/access_token", bytes.NewReader(body))
	if err != nil {
		return grant{}, err
	}
	req.GetBody = nil // without it no layer can send the code again
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", h.UserAgent)
	res, err := h.client.Do(req)
	if err != nil {
		return grant{}, unanswered(err)
	}
	defer res.Body.Close() //nolint:errcheck // only read
	data, err := io.ReadAll(io.LimitReader(res.Body, exchangeAnswer))
	switch {
	case res.StatusCode == http.StatusUnauthorized,
		res.StatusCode == http.StatusBadRequest && err == nil && refusesClient(data):
		return grant{}, fmt.Errorf("the marketplace refuses the app's client id or secret (HTTP %d)", res.StatusCode)
	case res.StatusCode != http.StatusOK && res.StatusCode != http.StatusCreated:
		return grant{}, fmt.Errorf("the marketplace answered HTTP %d", res.StatusCode)
	case err != nil:
		return grant{}, unanswered(err)
	}
	return grantOf(data)
}

// refusesClient reports whether an answer has the error of RFC 6749 for a client that is not
// authenticated.
func refusesClient(data []byte) bool {
	var answer struct {
		Error string `json:"error"`
	}
	return json.Unmarshal(data, &answer) == nil && answer.Error == "invalid_client"
}

// errTimeout says that the marketplace did not answer the exchange in time.
var errTimeout = fmt.Errorf("the marketplace did not answer within %s", exchangeTimeout)

// unanswered is the error of an exchange without an answer.
func unanswered(err error) error {
	var t interface{ Timeout() bool }
	if errors.As(err, &t) && t.Timeout() || errors.Is(err, context.DeadlineExceeded) {
		return errTimeout
	}
	return errors.New("the marketplace cannot be reached, or broke off its answer")
}

// grantOf reads the answer to an exchange.
func grantOf(data []byte) (grant, error) {
	var answer struct {
		Token string `json:"access_token"`
		Type  string `json:"token_type"`
		Scope string `json:"scope"`
	}
	if json.Unmarshal(data, &answer) != nil {
		return grant{}, errors.New("the marketplace's answer is not the JSON of a token")
	}
	odd := func(c rune) bool { return c <= ' ' || c > '~' } // not allowed in a header
	switch {
	case answer.Token == "" || len(answer.Token) > longestToken || strings.ContainsFunc(answer.Token, odd):
		return grant{}, errors.New("the marketplace's answer holds no usable token")
	case answer.Type != "" && !strings.EqualFold(answer.Type, "bearer"):
		return grant{}, errors.New("the marketplace's answer holds a token of another type than bearer")
	}
	return grant{token: answer.Token, scopes: scopesOf(answer.Scope)}, nil
}
