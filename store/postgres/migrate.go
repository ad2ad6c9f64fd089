package postgres

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrations is the statements of each version of the schema, from the first on. What was released
// is never changed: a new version is a new file.
var migrations = mustRead(migrationFiles)

func mustRead(files fs.FS) []string {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		panic(err)
	}
	all := make([]string, len(names))
	for i, name := range names {
		n, err := strconv.Atoi(strings.TrimSuffix(path.Base(name), ".sql"))
		if err == nil && n != i+1 {
			err = errors.New("is out of order")
		}
		text, readErr := fs.ReadFile(files, name)
		if err = errors.Join(err, readErr); err != nil {
			panic(fmt.Sprintf("migration %s: %v", name, err))
		}
		all[i] = string(text)
	}
	return all
}

// migrationLock is the advisory lock under which one process at a time migrates.
const migrationLock = 0x70756273796e63 // "pubsync"

// A SchemaError says that the database's schema is not the one that this version of pubsync reads.
type SchemaError struct{ Schema, Known int }

func (e *SchemaError) Error() string {
	advice := "use the pubsync that wrote it, or a newer one"
	if e.Schema < e.Known {
		advice = "pubsync run brings it up to date"
	}
	return fmt.Sprintf("store's schema has version %d, this pubsync reads version %d: %s", e.Schema, e.Known, advice)
}

// migrate brings the schema up to date, or refuses one that is newer. Where it is up to date
// nothing is written, so that a role without the right to make tables will do.
func (d *Database) migrate(ctx context.Context, all []string) error {
	version, err := d.version(ctx)
	if err == nil && version < len(all) {
		err = d.with(ctx, func(c *connection) error { return c.migrate(ctx, all) })
	}
	if err == nil && version > len(all) {
		return &SchemaError{version, len(all)}
	}
	if err != nil {
		return fmt.Errorf("open store: %w", translate(err))
	}
	return nil
}

const selectVersion = `select coalesce(max(number), 0) from migration`

// version is the version of the schema, 0 where there is none.
func (d *Database) version(ctx context.Context) (n int, err error) {
	err = d.query(ctx, func(r row) error { return r.scan(&n) }, selectVersion)
	if codeOf(err) == codeNoTable {
		return 0, nil
	}
	return n, err
}

// migrate makes the migrations that are missing. Others wait meanwhile, and find them made.
func (c *connection) migrate(ctx context.Context, all []string) error {
	n := 0
	begin := fmt.Sprintf(`
		begin;
		set local lock_timeout = 0;
		set local statement_timeout = 0;
		select pg_advisory_xact_lock(%d);
		create schema if not exists %s;
		create table if not exists migration (number integer primary key, at timestamptz not null default now())
	`, migrationLock, schema)
	err := c.run(ctx, begin)
	if err == nil {
		b := &batch{}
		b.queue(selectVersion).rows(func(r row) error { return r.scan(&n) })
		err = c.send(ctx, b)
	}
	if err == nil && n > len(all) {
		err = &SchemaError{n, len(all)}
	}
	for i := n; err == nil && i < len(all); i++ {
		if err = c.run(ctx, all[i]+fmt.Sprintf("; insert into migration (number) values (%d)", i+1)); err != nil {
			err = fmt.Errorf("migration %d: %w", i+1, err)
		}
	}
	if err == nil {
		return c.run(ctx, "commit")
	}
	return err // the connection is given up, and with it the transaction
}

// run runs statements without parameters.
func (c *connection) run(ctx context.Context, sql string) error {
	_, err := c.Exec(ctx, sql).ReadAll()
	return err
}
