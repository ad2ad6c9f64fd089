package alert

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// A Post sends a JSON document to an address: Slack and Mattermost read its text, Discord its
// content.
type Post struct {
	URL    string
	Client *http.Client
}

// Send posts the text.
func (p Post) Send(ctx context.Context, text string) error {
	body, err := json.Marshal(map[string]string{"text": text, "content": text})
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.URL, bytes.NewReader(body))
	if err != nil {
		return errors.New("the address cannot be used")
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := p.Client.Do(req)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err // without the address, which is a secret
		}
		return err
	}
	defer res.Body.Close() //nolint:errcheck // only read
	_, _ = io.Copy(
		io.Discard,
		io.LimitReader(res.Body, 4096),
	) //nolint:errcheck // so that the connection can be used again
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("the receiver answered HTTP %d", res.StatusCode)
	}
	return nil
}
