package vendure

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/fetch"
	"github.com/pubsync/pubsync/shopadapter/internal/each"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/quote"
	"github.com/pubsync/pubsync/shopadapter/stamp"
)

// mark is the part of an asset's file name by which the picture of an address is found again.
func mark(address string) string { return "pubsync-" + stamp.Digest(address, 12) }

// An asset is a picture in the shop's library. Its name is the merchant's to change; the path of
// its source is not.
type asset struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Source string `json:"source"`
}

// planImages adds the pictures to the fields of the product when they differ from what it has.
// Pictures that the merchant chose stay.
func (w *write) planImages(ctx context.Context, fields input) error {
	if !w.Changed.Has(shopadapter.FieldImages) {
		return nil
	}
	have := shown(w.view.product)
	if w.Edited(shopadapter.FieldImages, stamp.HashList(have), w.stamp.Images) {
		w.stamp.Missing = false
		return nil
	}
	ids, missing, err := w.a.images(ctx, w.product)
	if err != nil {
		return err
	}
	w.missing = missing
	w.stamp.Missing = slices.ContainsFunc(missing, func(p shopadapter.Picture) bool { return p.Later })
	w.stamp.Images = stamp.Written{Hash: stamp.HashList(ids)}
	if slices.Equal(ids, have) {
		return nil
	}
	fields["assetIds"] = ids
	fields["featuredAssetId"] = nil
	if len(ids) > 0 {
		fields["featuredAssetId"] = ids[0]
	}
	return nil
}

// shown are the ids of the product's assets, the featured one first; it is not always among the
// others.
func shown(p *product) []string {
	return each.Led(cmp.Or(p.FeaturedAsset, &node{}).ID, each.Of(p.Assets, func(a node) string { return a.ID }))
}

// images are the asset ids of a product's pictures in their order, uploaded where the library lacks
// them, and the pictures that are left out.
func (a *Adapter) images(
	ctx context.Context,
	p shopadapter.Product,
) (ids []string, missing []shopadapter.Picture, err error) {
	addresses := p.Pictures()
	known := map[string]string{}
	for some := range slices.Chunk(addresses, 40) {
		if err := a.findAssets(ctx, some, known); err != nil {
			return nil, nil, err
		}
	}
	ids = []string{}
	until := time.Now().Add(fetch.TogetherTimeout)
	silent, err := a.silent(ctx, addresses, known, until)
	if err != nil {
		return nil, nil, err
	}
	for _, address := range addresses {
		id := known[address]
		if why := silent[address]; why != nil {
			missing = append(missing, *a.leaveOut(ctx, p.ID, address, why, true))
			continue
		}
		if id == "" {
			var out *shopadapter.Picture
			if id, out, err = a.upload(ctx, p.ID, address, until); err != nil {
				return nil, nil, err
			}
			if out != nil {
				missing = append(missing, *out)
			}
		}
		if id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, missing, nil
}

// silent are the pictures to be downloaded whose servers do not answer. They are asked all at once,
// so that none waits for another.
func (a *Adapter) silent(
	ctx context.Context,
	addresses []string,
	known map[string]string,
	until time.Time,
) (map[string]error, error) {
	limited, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	failed := a.try(
		limited,
		slices.DeleteFunc(slices.Clone(addresses), func(address string) bool { return known[address] != "" }),
	)
	for address, err := range failed {
		if errors.Is(err, fetch.ErrUnfit) {
			delete(failed, address) // upload says so
		}
	}
	return failed, ctx.Err()
}

// leaveOut is a picture that is left out.
func (a *Adapter) leaveOut(
	ctx context.Context,
	publication shopadapter.PublicationID,
	address string,
	why error,
	later bool,
) *shopadapter.Picture {
	reason := a.scrub(why.Error())
	a.logger.WarnContext(
		ctx,
		"image left out",
		slog.String("publication", string(publication)),
		slog.String("image", quote.Address(address)),
		slog.String("error", reason),
		slog.Bool("later", later),
	)
	return &shopadapter.Picture{URL: address, Reason: reason, Later: later}
}

// findAssets adds the ids of the assets that were uploaded for these addresses. Of several it is
// the oldest.
func (a *Adapter) findAssets(ctx context.Context, addresses []string, known map[string]string) error {
	filter := make([]input, 0, 2*len(addresses))
	for _, address := range addresses {
		filter = append(
			filter,
			input{"source": input{"contains": mark(address)}},
			input{"name": input{"contains": mark(address)}},
		)
	}
	var answer struct {
		Assets struct {
			Items []asset `json:"items"`
		} `json:"assets"`
	}
	if err := a.call(ctx, findAssetsDocument, map[string]any{"filter": filter, "take": 100}, &answer); err != nil {
		return step.Within("find images", err)
	}
	for _, address := range addresses {
		i := slices.IndexFunc(answer.Assets.Items, func(f asset) bool {
			return strings.Contains(f.Name, mark(address)) || strings.Contains(f.Source, mark(address))
		})
		if i >= 0 {
			known[address] = answer.Assets.Items[i].ID
		}
	}
	return nil
}

// upload brings one picture into the library, or tells why it is left out.
func (a *Adapter) upload(ctx context.Context, publication shopadapter.PublicationID, address string, until time.Time) (
	id string, out *shopadapter.Picture, err error,
) {
	release, err := a.assets.acquire(ctx, mark(address))
	if err != nil {
		return "", nil, err
	}
	defer release()
	known := map[string]string{}
	if err := a.findAssets(ctx, []string{address}, known); err != nil || known[address] != "" {
		return known[address], nil, err
	}
	file, err := a.download(ctx, address, until)
	switch {
	case ctx.Err() != nil:
		return "", nil, ctx.Err()
	case err != nil:
		return "", a.leaveOut(ctx, publication, address, err, !errors.Is(err, fetch.ErrUnfit)), nil
	}
	id, err = a.createAsset(ctx, mark(address)+fetch.Extension(file.Type), file)
	switch {
	case err == nil:
		return id, nil, nil
	case step.Rejected(err):
		return "", a.leaveOut(ctx, publication, address, err, false), nil
	case hasCode(err, "INTERNAL_SERVER_ERROR"):
		// The shop failed over this file, making a preview of a damaged picture say. That must not
		// keep the product off sale.
		return "", a.leaveOut(ctx, publication, address, err, true), nil
	}
	return "", nil, step.Within("upload image", err)
}

// errNoTime is the error of a picture that was not asked for, since those before it took too long.
var errNoTime = errors.New("the pictures before it took too long to download")

// download fetches a picture until a moment that all pictures of a call share.
func (a *Adapter) download(ctx context.Context, address string, until time.Time) (fetch.File, error) {
	if !time.Now().Before(until) {
		return fetch.File{}, errNoTime
	}
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	return a.fetch(ctx, address)
}
