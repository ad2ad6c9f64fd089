package draft

import "context"

import "github.com/pubsync/pubsync/store"

// PutPage stores a cursor and makes the changes of a page.
func (s *Store) PutPage(ctx context.Context, p store.Page) error {
	kept := p.Changes[:0:0]
	for _, c := range p.Changes {
		if c.ID != "" && len(c.ID) <= store.MaxID {
			kept = append(kept, c)
		}
	}
	if _, err := s.Change(ctx, kept...); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range kept {
		if p.Seen {
			s.met[c.ID] = true
		}
	}
	cursor := p.Cursor
	s.cursors[p.Name] = &cursor
	return nil
}

// EndListing forgets a cursor.
func (s *Store) EndListing(ctx context.Context, e store.End) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cursors[e.Name] = nil
	if e.Seen {
		clear(s.met)
		s.anew = true
	}
	if e.Done != 0 {
		s.cursors[e.Name+".done"] = &store.Cursor{At: e.Done}
	}
	return nil
}

// CursorOf is the cursor stored under a name.
func (s *Store) CursorOf(ctx context.Context, name string) (store.Cursor, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, ok := s.cursors[name]; ok {
		if c == nil {
			return store.Cursor{}, false, nil
		}
		return *c, true, nil
	}
	return s.Reader.CursorOf(ctx, name)
}

// Meta is a small fact about the store as a whole.
func (s *Store) Meta(ctx context.Context, key string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if value, ok := s.facts[key]; ok {
		return value, nil
	}
	return s.Reader.Meta(ctx, key)
}

// SetMeta sets a fact.
func (s *Store) SetMeta(ctx context.Context, key, value string) error {
	have, err := s.Meta(ctx, key)
	if err != nil {
		return err
	}
	if key == store.MetaAccount && have != "" && have != value {
		return &store.AccountError{Store: have, Token: value}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.facts[key] = value
	return nil
}
