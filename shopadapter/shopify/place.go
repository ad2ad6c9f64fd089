package shopify

import (
	"context"
	"slices"
	"strings"

	"github.com/pubsync/pubsync/shopadapter"
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
		err := a.call(ctx, request{document: locationsDocument, estimate: 250, variables: input{"after": after}}, &answer)
		return answer.Locations, err
	})
	if err != nil {
		return err
	}
	s.Publications.Nodes, err = rest(s.Publications, func(after string) (nodes[channel], error) {
		var answer shopAnswer
		err := a.call(ctx, request{document: publicationsDocument, estimate: 200, variables: input{"after": after}}, &answer)
		return answer.Publications, err
	})
	return err
}

// chooseLocation is the location that the setting names, the primary one without a setting.
func (a *Adapter) chooseLocation(primary *place, active []place) (place, error) {
	names := make([]string, 0, len(active))
	for _, l := range active {
		if a.location != "" && (strings.EqualFold(l.Name, a.location) || sameID(l.ID, a.location)) {
			return l, nil
		}
		names = append(names, l.Name)
	}
	known := a.scrub(strings.Join(names, ", "))
	switch {
	case a.location != "":
		return place{}, shopadapter.Block("the store has no active location with the name or id in LOCATION: it has %s", known).Everywhere()
	case primary != nil && slices.ContainsFunc(active, func(l place) bool { return l.ID == primary.ID }):
		return *primary, nil
	case len(active) == 1:
		return active[0], nil
	case len(active) == 0:
		return place{}, shopadapter.Block("the store has no active location to keep stock at: add one under Settings, Locations in Shopify").Everywhere()
	}
	return place{}, shopadapter.Block("the store has several locations: name one in LOCATION (%s)", known).Everywhere()
}

// sameID tells whether a setting means this id: the whole of it, or the number at its end.
func sameID(id, setting string) bool { return id == setting || strings.HasSuffix(id, "/"+setting) }

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

func (c channel) names() []string {
	list := []string{c.Name}
	if c.Catalog != nil {
		list = append(list, c.Catalog.Title)
		for _, app := range c.Catalog.Apps.Nodes {
			list = append(list, app.Title, app.Handle)
		}
	}
	return list
}

// choosePublication is the publication that the setting names. The online store has another name in each language, and the same handle.
func (a *Adapter) choosePublication(list []channel) (place, error) {
	names := make([]string, 0, len(list))
	for _, c := range list {
		for _, name := range append(c.names(), c.ID) {
			if strings.EqualFold(name, a.publication) || sameID(c.ID, a.publication) || a.publication == onlineStore && name == "online_store" {
				return c.place, nil
			}
		}
		names = append(names, c.Name)
	}
	if len(list) == 0 {
		return place{}, shopadapter.Block("the store has no sales channel: add the Online Store channel in Shopify").Everywhere()
	}
	return place{}, shopadapter.Block("the store has no sales channel with the name in PUBLICATION: it has %s",
		a.scrub(strings.Join(names, ", "))).Everywhere()
}
