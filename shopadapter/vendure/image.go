package vendure

import (
	"context"
	"errors"
	"log/slog"
	"net/url"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/fetch"
)

// mark is the part of an asset's file name by which the picture of an address is found again.
func mark(address string) string { return "pubsync-" + digest(address, 12) }

// An asset is a picture in the shop's library. Its name is the merchant's to change; the path of its source is not.
type asset struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Source string `json:"source"`
}

// planImages adds the pictures to the fields of the product when they differ from what it has. Pictures that the merchant chose stay.
func (w *write) planImages(ctx context.Context, fields input) error {
	if !w.changed.Has(shopadapter.FieldImages) {
		return nil
	}
	have := shown(w.view.product)
	if hashIDs(have) != w.stamp.Images && !w.reset.Has(shopadapter.FieldImages) {
		w.kept |= shopadapter.FieldImages
		w.stamp.Missing = false
		return nil
	}
	ids, missing, err := w.a.images(ctx, w.product)
	if err != nil {
		return err
	}
	w.stamp.Missing = missing
	w.stamp.Images = hashIDs(ids)
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

// shown are the ids of the product's assets, the featured one first; it is not always among the others.
func shown(p *product) []string {
	ids := make([]string, 0, len(p.Assets)+1)
	for _, a := range p.Assets {
		ids = append(ids, a.ID)
	}
	if f := p.FeaturedAsset; f != nil && (len(ids) == 0 || ids[0] != f.ID) {
		ids = append([]string{f.ID}, ids...)
	}
	return ids
}

// hashIDs is "" for no pictures, the state in which a product is made.
func hashIDs(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return hash(strings.Join(ids, " "))
}

// images are the asset ids of a product's pictures in their order, uploaded where the library lacks them. missing tells that one is left out which
// a later call may get.
func (a *Adapter) images(ctx context.Context, p shopadapter.Product) (ids []string, missing bool, err error) {
	var addresses []string
	for _, address := range p.Images {
		if !slices.Contains(addresses, address) {
			addresses = append(addresses, address)
		}
	}
	known := map[string]string{}
	for some := range slices.Chunk(addresses, 40) {
		if err := a.findAssets(ctx, some, known); err != nil {
			return nil, false, err
		}
	}
	ids = []string{}
	for _, address := range addresses {
		id := known[address]
		if id == "" {
			var again bool
			if id, again, err = a.upload(ctx, p.ID, address); err != nil {
				return nil, false, err
			}
			missing = missing || again
		}
		if id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids, missing, nil
}

// findAssets adds the ids of the assets that were uploaded for these addresses. Of several it is the oldest.
func (a *Adapter) findAssets(ctx context.Context, addresses []string, known map[string]string) error {
	filter := make([]input, 0, 2*len(addresses))
	for _, address := range addresses {
		filter = append(filter, input{"source": input{"contains": mark(address)}}, input{"name": input{"contains": mark(address)}})
	}
	var answer struct {
		Assets struct {
			Items []asset `json:"items"`
		} `json:"assets"`
	}
	if err := a.call(ctx, findAssetsDocument, map[string]any{"filter": filter, "take": 100}, &answer); err != nil {
		return within("find images", err)
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

// upload brings one picture into the library. id is "" when it is left out; again tells that this may pass.
func (a *Adapter) upload(ctx context.Context, publication shopadapter.PublicationID, address string) (id string, again bool, err error) {
	release, err := a.assets.acquire(ctx, mark(address))
	if err != nil {
		return "", false, err
	}
	defer release()
	known := map[string]string{}
	if err := a.findAssets(ctx, []string{address}, known); err != nil || known[address] != "" {
		return known[address], false, err
	}
	log := a.logger.With(slog.String("publication", string(publication)), slog.String("image", bare(address)))
	file, err := a.fetch(ctx, address)
	switch {
	case ctx.Err() != nil:
		return "", false, ctx.Err()
	case errors.Is(err, fetch.ErrUnfit):
		log.WarnContext(ctx, "image left out", slog.String("error", a.scrub(err.Error())))
		return "", false, nil
	case err != nil:
		log.WarnContext(ctx, "image left out for now", slog.String("error", a.scrub(err.Error())))
		return "", true, nil
	}
	id, err = a.createAsset(ctx, mark(address)+fetch.Extension(file.Type), file)
	switch {
	case err == nil:
		return id, false, nil
	case rejected(err):
		log.WarnContext(ctx, "image left out", slog.String("error", a.scrub(err.Error())))
		return "", false, nil
	case hasCode(err, "INTERNAL_SERVER_ERROR"):
		// The shop failed over this file, making a preview of a damaged picture say. That must not keep the product off sale.
		log.WarnContext(ctx, "image left out for now", slog.String("error", a.scrub(err.Error())))
		return "", true, nil
	}
	return "", false, within("upload image", err)
}

// bare is an address without its query, which may hold a signature.
func bare(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Scheme + "://" + u.Host + u.EscapedPath()
}
