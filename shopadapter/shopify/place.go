package shopify

import (
	"context"
	"slices"

	places "github.com/pubsync/pubsync/shopadapter/internal/place"
)

// A place is a location that holds stock, or a publication that products go to.
type place struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// readPlaces reads the locations and sales channels that did not fit the first page.
func (a *Adapter) readPlaces(ctx context.Context, s *shopAnswer) (err error) {
	s.Locations.Nodes, err = rest(s.Locations, func(after string) (nodes[place], error) {
		var answer shopAnswer
		err := a.call(
			ctx,
			request{document: locationsDocument, estimate: 250, variables: input{"after": after}},
			&answer,
		)
		return answer.Locations, err
	})
	if err != nil {
		return err
	}
	s.Publications.Nodes, err = rest(s.Publications, func(after string) (nodes[channel], error) {
		var answer shopAnswer
		err := a.call(
			ctx,
			request{document: publicationsDocument, estimate: 200, variables: input{"after": after}},
			&answer,
		)
		return answer.Publications, err
	})
	return err
}

// names are those that the setting may hold: the number at the end of the id too.
func (p place) names() []string { return []string{p.Name, p.ID, number(p.ID)} }

// chooseLocation is the location that the setting names, the primary one without a setting.
func (a *Adapter) chooseLocation(primary *place, active []place) (place, error) {
	if a.location == "" && primary != nil &&
		slices.ContainsFunc(active, func(l place) bool { return l.ID == primary.ID }) {
		return *primary, nil
	}
	return places.Kind[place]{
		Name: "active location", Setting: "PUBSYNC_SHOPIFY_LOCATION", Names: place.names, Clean: a.scrub,
		None: "the store has no active location to keep stock at: add one under Settings, Locations in Shopify",
	}.Choose(active, a.location)
}

// A channel is a publication with the names that a merchant may know it by.
type channel struct {
	place
	Catalog *struct {
		Title string `json:"title"`
		Apps  nodes[struct {
			Handle string `json:"handle"`
			Title  string `json:"title"`
		}] `json:"apps"`
	} `json:"catalog"`
}

// names are those of the place and of its catalogue. The online store has another name in each
// language, and the same handle.
func (c channel) names() []string {
	list := c.place.names()
	if c.Catalog == nil {
		return list
	}
	list = append(list, c.Catalog.Title)
	for _, app := range c.Catalog.Apps.Nodes {
		if list = append(list, app.Title, app.Handle); app.Handle == "online_store" {
			list = append(list, onlineStore)
		}
	}
	return list
}

// choosePublication is the publication that the setting names.
func (a *Adapter) choosePublication(list []channel) (place, error) {
	chosen, err := places.Kind[channel]{
		Name: "sales channel", Setting: "PUBSYNC_SHOPIFY_PUBLICATION", Names: channel.names, Clean: a.scrub,
		None: "the store has no sales channel: add the Online Store channel in Shopify",
	}.Choose(list, a.publication)
	return chosen.place, err
}
