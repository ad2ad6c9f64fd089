package vendure

import (
	"cmp"
	"context"
	"errors"
	"hash/crc32"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
	"github.com/pubsync/pubsync/shopadapter/fetch"
	"github.com/pubsync/pubsync/shopadapter/internal/each"
	"github.com/pubsync/pubsync/shopadapter/internal/step"
	"github.com/pubsync/pubsync/shopadapter/skeleton"
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

// Pictures brings the pictures into the library, and adds them to the fields of the product when
// they differ from what it has. Pictures that the merchant chose stay.
func (w *write) Pictures(ctx context.Context) error {
	if !w.Changed.Has(shopadapter.FieldImages) {
		return nil
	}
	have := shown(w.held)
	lost, err := w.lost(ctx, have)
	if err != nil {
		return err
	}
	if !lost && w.Edited(shopadapter.FieldImages, stamp.HashList(have), w.stamp.Images) {
		w.stamp.Missing = false
		return nil
	}
	library := skeleton.Library{Try: w.a.try, Have: w.a.findAssets, Upload: w.a.upload, Clean: w.a.scrub}
	ids, missing, err := library.Load(ctx, w.Product.Pictures())
	if err != nil {
		return err
	}
	w.Missing = missing
	w.stamp.Missing = slices.ContainsFunc(missing, func(p shopadapter.Picture) bool { return p.Later })
	w.stamp.Images, w.stamp.Pictures = stamp.Written{Hash: stamp.HashList(ids)}, ids
	if slices.Equal(ids, have) {
		return nil
	}
	w.fields["assetIds"], w.fields["featuredAssetId"] = ids, nil
	if len(ids) > 0 {
		w.fields["featuredAssetId"] = ids[0]
	}
	return nil
}

// shown are the ids of the product's assets, the featured one first; it is not always among the
// others.
func shown(p *product) []string {
	return each.Led(cmp.Or(p.FeaturedAsset, &node{}).ID, each.Of(p.Assets, func(a node) string { return a.ID }))
}

// lost reports whether the product shows fewer pictures than were written because the library has
// them no longer. They come again; a picture that was taken off the product alone does not.
func (w *write) lost(ctx context.Context, have []string) (bool, error) {
	gone, ok := stamp.Without(w.stamp.Pictures, have)
	if !ok || len(gone) == 0 {
		return false, nil
	}
	standing, err := w.a.standing(ctx, gone)
	return len(standing) == 0, err
}

// standing is those of the assets that the library still has.
func (a *Adapter) standing(ctx context.Context, ids []string) (map[string]bool, error) {
	standing := map[string]bool{}
	for some := range slices.Chunk(ids, pageSize) {
		var answer struct {
			Assets struct {
				Items []node `json:"items"`
			} `json:"assets"`
		}
		if err := a.call(ctx, standingDocument, map[string]any{"ids": some, "take": len(some)}, &answer); err != nil {
			return nil, step.Within("find images", err)
		}
		for _, one := range answer.Assets.Items {
			standing[one.ID] = true
		}
	}
	return standing, nil
}

// findAssets finds the assets that were uploaded for these addresses. Of several it is the oldest.
func (a *Adapter) findAssets(ctx context.Context, addresses []string) (map[string]string, error) {
	known := map[string]string{}
	for some := range slices.Chunk(addresses, 40) {
		var filter []input
		for _, address := range some {
			contains := input{"contains": mark(address)}
			filter = append(filter, input{"source": contains}, input{"name": contains})
		}
		var answer struct {
			Assets struct {
				Items []asset `json:"items"`
			} `json:"assets"`
		}
		if err := a.call(ctx, findAssetsDocument, map[string]any{"filter": filter, "take": 100}, &answer); err != nil {
			return nil, step.Within("find images", err)
		}
		for _, address := range some {
			i := slices.IndexFunc(answer.Assets.Items, func(f asset) bool {
				return strings.Contains(f.Name, mark(address)) || strings.Contains(f.Source, mark(address))
			})
			if i >= 0 {
				known[address] = answer.Assets.Items[i].ID
			}
		}
	}
	return known, nil
}

// upload brings one picture into the library, unless another product has just done so.
func (a *Adapter) upload(ctx context.Context, address string) (string, error) {
	turn := a.assets[crc32.ChecksumIEEE([]byte(address))%uint32(len(a.assets))]
	select {
	case turn <- struct{}{}:
		defer func() { <-turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	known, err := a.findAssets(ctx, []string{address})
	if err != nil || known[address] != "" {
		return known[address], err
	}
	file, err := a.fetch(ctx, address)
	switch {
	case errors.Is(err, fetch.ErrUnfit):
		return "", err
	case err != nil:
		return "", &skeleton.LeftOut{Err: err}
	}
	id, err := a.createAsset(ctx, mark(address)+fetch.Extension(file.Type), file)
	if hasCode(err, "INTERNAL_SERVER_ERROR") {
		// The shop failed over this file, making a preview of a damaged picture say. That must not
		// keep the product off sale.
		return "", &skeleton.LeftOut{Err: err}
	}
	return id, step.Within("upload image", err)
}
