package postgres

import (
	"context"
	_ "embed"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/pubsync/pubsync/store"
)

//go:embed tables.sql
var tables string

// form is the number of the form of the tables. Another one is not read.
const form = 6

// tablesLock is the advisory lock under which one process at a time makes the tables.
const tablesLock = 0x70756273796e63 // "pubsync"

const (
	selectForm = `select coalesce(max(number), 0) from migration`
	makeSchema = `
		set local lock_timeout = 0;
		set local statement_timeout = 0;
		select pg_advisory_xact_lock(%d);
		create schema if not exists %s;
		create table if not exists migration (number integer primary key, at timestamptz not null default now())`
	makeTables = `%s; insert into migration (number) values (%d)`
)

// formOf is the number of the form of the tables, 0 where there are none. It fails for one that this
// version does not read.
func (d *Database) formOf(ctx context.Context) (n int, err error) {
	err = repeat(ctx, harmless, func(ctx context.Context) error {
		return d.leases.QueryRow(ctx, selectForm).Scan(&n)
	})
	if codeOf(err) == codeNoTable || err == nil && n == 0 {
		return 0, nil
	}
	if err == nil {
		err = store.CheckSchema(strconv.Itoa(n), strconv.Itoa(form))
	}
	return n, err
}

// makeTables makes the tables where there are none, else it writes nothing, so that a role without the
// right to make tables will do. Other processes wait meanwhile.
func (d *Database) makeTables(ctx context.Context) error {
	n, err := d.formOf(ctx)
	if err == nil && n == 0 {
		err = pgx.BeginFunc(ctx, d.leases, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, fmt.Sprintf(makeSchema, tablesLock, schema))
			if err == nil {
				err = tx.QueryRow(ctx, selectForm).Scan(&n)
			}
			if err == nil && n == 0 {
				_, err = tx.Exec(ctx, fmt.Sprintf(makeTables, tables, form))
			}
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("open store: %w", translate(err))
	}
	return nil
}
