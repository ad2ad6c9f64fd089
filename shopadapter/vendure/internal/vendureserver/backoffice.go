package vendureserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
)

// A Backoffice is the shop's owner at work: a GraphQL client that is none of the adapter's code.
type Backoffice struct {
	api      string
	username string
	password string
	client   *http.Client

	mu    sync.Mutex
	token string
}

// NewBackoffice logs in at the first query. A nil client is a plain one.
func NewBackoffice(api, username, password string, client *http.Client) *Backoffice {
	if client == nil {
		client = plainClient()
	}
	return &Backoffice{api: api, username: username, password: password, client: client}
}

func plainClient() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
}

// Query runs a document and decodes its data into out, which may be nil. Any GraphQL error is an
// error.
func (b *Backoffice) Query(ctx context.Context, document string, variables map[string]any, out any) error {
	b.mu.Lock()
	token := b.token
	b.mu.Unlock()
	if token == "" {
		header, err := send(ctx, b.client, b.api, "", `mutation ($username: String!, $password: String!) {
			login(username: $username, password: $password) { __typename ... on ErrorResult { message } } }`,
			map[string]any{"username": b.username, "password": b.password}, nil)
		if err != nil {
			return fmt.Errorf("log in: %w", err)
		}
		if token = header.Get("vendure-auth-token"); token == "" {
			// The owner may have switched the token off, and then the session is a cookie.
			for _, cookie := range (&http.Response{Header: header}).Cookies() {
				token += cookie.Name + "=" + cookie.Value + "; "
			}
		}
		if token == "" {
			return errNoLogin
		}
		b.mu.Lock()
		b.token = token
		b.mu.Unlock()
	}
	_, err := send(ctx, b.client, b.api, token, document, variables, out)
	return err
}

// send makes one request to an API of the shop's. An empty token is none.
func send(
	ctx context.Context, client *http.Client, api, token, document string, variables map[string]any, out any,
) (http.Header, error) {
	body, err := json.Marshal(map[string]any{"query": document, "variables": variables})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, api, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("Cookie", token)
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	var answer struct {
		Data   json.RawMessage            `json:"data"`
		Errors []struct{ Message string } `json:"errors"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return nil, fmt.Errorf("read answer (HTTP %d): %w", response.StatusCode, err)
	}
	if len(answer.Errors) > 0 {
		return nil, fmt.Errorf("the shop answers: %s", answer.Errors[0].Message)
	}
	if out == nil {
		return response.Header, nil
	}
	return response.Header, json.Unmarshal(answer.Data, out)
}
