package vendure

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/kit"
	"github.com/pubsync/pubsync/shopadapter/wire"
)

// mark is in an asset's file name and finds the picture of an address.
func mark(address string) string { return "pubsync-" + kit.Digest(address, 12) }

// An asset is a picture in the library. The merchant may change its name but not its source's path.
type asset struct{ ID, Name, Source string }

// pictures uploads the pictures and adds changes to the product's fields. The merchant's pictures stay.
func (w *write) pictures(ctx context.Context) error {
	if !w.Changed.Has(shopadapter.FieldImages) {
		return nil
	}
	have := w.held.shown()
	if own := w.Own || w.note.Images.IsOwn(kit.HashList(have), false); !own && w.Keep(shopadapter.FieldImages) {
		return nil
	}
	library := kit.Library{Try: w.a.images.TryAll, Have: w.a.findAssets, Upload: w.a.upload, Clean: w.a.wire.Clean}
	ids, missing, err := library.Load(ctx, w.p.Pictures())
	if err != nil {
		return err
	}
	w.missing = missing
	w.note.Images = kit.Written{Hash: kit.HashList(ids)}
	if slices.Equal(ids, have) {
		return nil
	}
	w.fields["assetIds"], w.fields["featuredAssetId"] = ids, nil
	if len(ids) > 0 {
		w.fields["featuredAssetId"] = ids[0]
	}
	return nil
}

// findAssets returns the oldest asset of each address.
func (a *Adapter) findAssets(ctx context.Context, addresses []string) (map[string]string, error) {
	known := map[string]string{}
	for some := range slices.Chunk(addresses, 40) {
		var filter []input
		for _, address := range some {
			contains := input{"contains": mark(address)}
			filter = append(filter, input{"source": contains}, input{"name": contains})
		}
		var answer struct{ Assets list[asset] }
		if err := a.call(ctx, findAssetsDocument, input{"filter": filter}, &answer); err != nil {
			return nil, err
		}
		for _, address := range some {
			is := func(f asset) bool { return strings.Contains(f.Name+" "+f.Source, mark(address)) }
			if i := slices.IndexFunc(answer.Assets.Items, is); i >= 0 {
				known[address] = answer.Assets.Items[i].ID
			}
		}
	}
	return known, nil
}

// upload uploads a picture unless another product just did.
func (a *Adapter) upload(ctx context.Context, address string) (string, error) {
	turn := a.uploads[crc32.ChecksumIEEE([]byte(address))%uint32(len(a.uploads))]
	if err := turn.Acquire(ctx, 1); err != nil {
		return "", err
	}
	defer turn.Release(1)
	known, err := a.findAssets(ctx, []string{address})
	if err != nil || known[address] != "" {
		return known[address], err
	}
	file, err := a.images.Get(ctx, address, maxImage)
	switch {
	case errors.Is(err, kit.ErrUnfit):
		return "", err
	case err != nil:
		return "", &kit.LeftOut{Err: err}
	}
	id, err := a.createAsset(ctx, mark(address)+file.Extension, file)
	if hasCode(err, "INTERNAL_SERVER_ERROR") {
		// The shop failed on this file, for example on a damaged picture's preview. This must not stop the sale.
		return "", &kit.LeftOut{Err: err}
	}
	return id, err
}

// createAsset uploads by the multipart convention of GraphQL: the operation with null for the file, a map from the
// part to that place, and the file. It returns the asset's id.
func (a *Adapter) createAsset(ctx context.Context, name string, file kit.Picture) (string, error) {
	body, kind, err := multipartBody(name, file)
	if err != nil {
		return "", fmt.Errorf("encode upload: %w", err)
	}
	var made struct{ CreateAssets []result }
	err = a.loggedIn(ctx, func(login http.Header) (*wire.Answer, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.api, bytes.NewReader(body))
		if err != nil {
			return &wire.Answer{}, fmt.Errorf("make upload: %w", err)
		}
		request.Header = login.Clone()
		request.Header.Set("Content-Type", kind)
		// A server with CSRF protection takes multipart bodies only with this header.
		request.Header.Set("Apollo-Require-Preflight", "true")
		var answer struct {
			Data   json.RawMessage
			Errors []struct {
				Message    string
				Extensions struct{ Code string }
			}
		}
		got, err := a.wire.Do(request, limits, nil)
		_ = json.Unmarshal(got.Body, &answer) // kit.Unusable handles other bodies
		got.Data = answer.Data
		for _, e := range answer.Errors {
			got.Faults = append(got.Faults, wire.Fault{Message: e.Message, Code: e.Extensions.Code})
		}
		if err := kit.Unusable(got, err, words, a.objection); err != nil {
			return got, err
		}
		if json.Unmarshal(answer.Data, &made) != nil || len(made.CreateAssets) != 1 {
			return got, shopadapter.Retry("the shop's answer to an upload cannot be read")
		}
		return got, nil
	})
	if err != nil {
		return "", err
	}
	if refused := made.CreateAssets[0].refused(); refused != nil {
		return "", shopadapter.Reject("the shop refuses the image: %s", a.wire.Clean(refused.Error()))
	}
	return made.CreateAssets[0].ID, nil
}

func multipartBody(name string, file kit.Picture) (body []byte, contentType string, err error) {
	operations := kit.Encode(map[string]any{
		"query": createAssetsDocument, "variables": input{"input": []any{input{"file": nil}}},
	})
	var buffer bytes.Buffer
	form := multipart.NewWriter(&buffer)
	header := textproto.MIMEHeader{
		"Content-Disposition": {fmt.Sprintf(`form-data; name="0"; filename=%q`, name)}, "Content-Type": {file.Type},
	}
	err = errors.Join(
		form.WriteField("operations", operations), form.WriteField("map", `{"0":["variables.input.0.file"]}`),
	)
	part, failed := form.CreatePart(header)
	if err = errors.Join(err, failed); err != nil {
		return nil, "", err
	}
	_, err = part.Write(file.Bytes)
	err = errors.Join(err, form.Close())
	return buffer.Bytes(), form.FormDataContentType(), err
}
