-- An account, who works on it and until when, and how often that has changed. Writers lock the row for
-- key share until they have committed. A renewal changes no key and waits for none of them; a lease is
-- taken under a lock for update.
create table account (
	name text primary key,
	fence bigint not null default 0,
	expires timestamptz not null default '-infinity',
	owner text not null default ''
) with (fillfactor = 50);

-- All that is kept of accounts. A bucket has an order of keys of its own, by their bytes.
create table kv (
	account text collate "C" not null,
	bucket text collate "C" not null,
	key bytea not null,
	value bytea not null,
	primary key (account, bucket, key)
) with (fillfactor = 80);
