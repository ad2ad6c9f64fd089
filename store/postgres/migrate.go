package postgres

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/pubsync/pubsync/store"
)

//go:embed migrations/0005.sql
var form5 string // the forms before it are not read

// A migration makes one form of the tables from the one before.
type migration struct {
	number int
	sql    string
}

// migrations is all of them. What was released is never changed: a new form is a new file.
var migrations = []migration{{5, form5}}

// known fails for a form of the tables that this version does not read.
func known(version int) error {
	return store.CheckSchema(strconv.Itoa(version), strconv.Itoa(migrations[len(migrations)-1].number))
}

// migrationLock is the advisory lock under which one process at a time migrates.
const migrationLock = 0x70756273796e63 // "pubsync"

const selectVersion = `select coalesce(max(number), 0) from migration`

// version is the number of the tables' form, 0 where there are none.
func (d *Database) version(ctx context.Context) (n int, err error) {
	err = repeat(ctx, harmless, func(ctx context.Context) error {
		return d.leases.QueryRow(ctx, selectVersion).Scan(&n)
	})
	if codeOf(err) == codeNoTable {
		return 0, nil
	}
	return n, err
}

// migrate makes the tables, or brings them to the newest form. Where they have it nothing is
// written, so that a role without the right to make tables will do. Other processes wait meanwhile.
func (d *Database) migrate(ctx context.Context, all []migration) error {
	newest := all[len(all)-1].number
	n, err := d.version(ctx)
	if err == nil && (n == 0 || n >= all[0].number && n < newest) {
		err = pgx.BeginFunc(ctx, d.leases, func(tx pgx.Tx) error {
			return migrate(ctx, tx, all)
		})
		n = newest
	}
	if err == nil {
		err = store.CheckSchema(strconv.Itoa(n), strconv.Itoa(newest))
	}
	if err != nil {
		return fmt.Errorf("open store: %w", translate(err))
	}
	return nil
}

func migrate(ctx context.Context, tx pgx.Tx, all []migration) error {
	_, err := tx.Exec(ctx, fmt.Sprintf(`
		set local lock_timeout = 0;
		set local statement_timeout = 0;
		select pg_advisory_xact_lock(%d);
		create schema if not exists %s;
		create table if not exists migration (number integer primary key, at timestamptz not null default now())
	`, migrationLock, schema))
	n := 0
	if err == nil {
		err = tx.QueryRow(ctx, selectVersion).Scan(&n)
	}
	for _, m := range all {
		if err == nil && n < m.number {
			if _, err = tx.Exec(ctx, m.sql+fmt.Sprintf("; insert into migration (number) values (%d)", m.number)); err != nil {
				err = fmt.Errorf("migration %d: %w", m.number, err)
			}
		}
	}
	return err
}
