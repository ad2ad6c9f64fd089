package vendure

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/fetch"
	"github.com/pubsync/pubsync/shopadapter/internal/exchange"
)

// createAsset uploads a file under a name and returns the asset's id. The GraphQL client knows no
// files, so the request is made here, after the multipart convention: the operation with a null in
// the file's place, a map from the part to that place, and the file.
func (a *Adapter) createAsset(ctx context.Context, name string, file fetch.File) (string, error) {
	body, kind, err := multipartBody(name, file)
	if err != nil {
		return "", fmt.Errorf("encode upload: %w", err)
	}
	var id string
	err = a.loggedIn(ctx, func(login credential) (seen *exchange.Exchange, err error) {
		id, seen, err = a.postAsset(ctx, login, body, kind)
		return seen, err
	})
	return id, err
}

func (a *Adapter) postAsset(
	ctx context.Context, login credential, body []byte, kind string,
) (string, *exchange.Exchange, error) {
	ctx, seen := exchange.Record(ctx, limitsOf(createAssetsDocument))
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.api, bytes.NewReader(body))
	if err != nil {
		return "", seen, fmt.Errorf("make upload: %w", err)
	}
	a.address(request)
	login.apply(request.Header)
	request.Header.Set("Content-Type", kind)
	// A server that guards against forms of foreign pages takes a multipart body only with this
	// header.
	request.Header.Set("Apollo-Require-Preflight", "true")
	response, err := a.http.Do(request)
	var answer struct {
		Data struct {
			CreateAssets []result `json:"createAssets"`
		} `json:"data"`
		Errors []json.RawMessage `json:"errors"`
	}
	if err == nil {
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		err = json.Unmarshal(seen.Body, &answer)
	}
	if err == nil && (seen.Status != http.StatusOK || len(answer.Errors) > 0) {
		err = fmt.Errorf("the shop answers HTTP %d with %d errors", seen.Status, len(answer.Errors))
	}
	switch made := answer.Data.CreateAssets; {
	case err != nil:
		return "", seen, a.classify(ctx, seen, err)
	case len(made) != 1:
		return "", seen, shopadapter.Retry("the shop's answer to an upload cannot be read")
	case made[0].refused() != nil:
		return "", seen, shopadapter.Reject("the shop refuses the image: %s", a.scrub(made[0].refused().Error()))
	default:
		return made[0].ID, seen, nil
	}
}

func multipartBody(name string, file fetch.File) (body []byte, contentType string, err error) {
	var buffer bytes.Buffer
	form := multipart.NewWriter(&buffer)
	operations, err := json.Marshal(map[string]any{
		"query": createAssetsDocument, "variables": map[string]any{"input": []any{map[string]any{"file": nil}}},
	})
	if err != nil {
		return nil, "", err
	}
	if err := form.WriteField("operations", string(operations)); err != nil {
		return nil, "", err
	}
	if err := form.WriteField("map", `{"0":["variables.input.0.file"]}`); err != nil {
		return nil, "", err
	}
	header := textproto.MIMEHeader{}
	header.Set("Content-Disposition", fmt.Sprintf(`form-data; name="0"; filename=%q`, name))
	header.Set("Content-Type", file.Type)
	part, err := form.CreatePart(header)
	if err != nil {
		return nil, "", err
	}
	if _, err := part.Write(file.Bytes); err != nil {
		return nil, "", err
	}
	if err := form.Close(); err != nil {
		return nil, "", err
	}
	return buffer.Bytes(), form.FormDataContentType(), nil
}
