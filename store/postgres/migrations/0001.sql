-- The order of rows, of their versions, of marks' generations and of reports' sequences: one
-- sequence for all, so that no number is ever used twice.
create sequence number;

-- expect ends the transaction unless a condition holds.
create function expect(held boolean, code text) returns void language plpgsql as $$
begin
	if held is not true then
		raise exception 'pubsync: %', code using errcode = code;
	end if;
end
$$;

create table account (
	number integer generated always as identity primary key,
	name text not null unique
);

-- Who works on an account, until when, and how often that has changed. Writers lock the row of
-- the lease for share until they have committed, so what each renewal writes is a row of its own.
create table lease (
	account integer primary key,
	fence bigint not null default 0
);
create table heartbeat (
	account integer primary key,
	fence bigint not null default 0,
	expires timestamptz not null default '-infinity',
	owner text not null default ''
);
create index heartbeat_expires on heartbeat (expires);

-- What is held of a publication: the record, and the report that is owed. What is left of a
-- forgotten one is not known.
create table record (
	account integer not null,
	key bytea not null,
	id bytea, -- where the key is not the id
	version bigint not null,
	known boolean not null,
	state text not null,
	since bigint not null,
	on_sale boolean not null,
	product bytea,
	listing bytea,
	data bytea not null,
	report bytea,
	seq bigint,
	refused boolean,
	primary key (account, key)
) with (fillfactor = 80);
create index record_state on record (account, state, since, key) where known;
create index record_sale on record (account) where known and on_sale;
create index record_owed on record (account, key) where seq is not null;
create index record_refused on record (account, key) where seq is not null and refused;
create index record_product on record (account, product) where known and product is not null;
create index record_listing on record (account, listing) where known and listing is not null;

-- The keys of a record but for its state.
create table property (
	account integer not null,
	name text not null,
	since bigint not null,
	key bytea not null,
	primary key (account, name, since, key)
);

create table mark (
	account integer not null,
	key bytea not null,
	id bytea,
	version bigint not null,
	gen bigint not null,
	class smallint not null,
	at bigint not null,
	hint bigint, -- when an unsigned webhook wants the look
	cause integer not null,
	data bytea not null,
	primary key (account, key)
) with (fillfactor = 80);
create index mark_due on mark (account, class, at, key);
create index mark_hint on mark (account, hint, key) where hint is not null;

create table sku (
	account integer not null,
	key bytea not null,
	owner bytea not null,
	sku bytea, -- where the key is not the SKU
	primary key (account, key)
);

create table cursor (
	account integer not null,
	name bytea not null,
	data bytea not null,
	primary key (account, name)
);

create table fact (
	account integer not null,
	name bytea not null,
	data bytea not null,
	primary key (account, name)
);

-- What the enumeration under way has met.
create table seen (
	account integer not null,
	key bytea not null,
	id bytea,
	primary key (account, key)
);

-- The removals of the last days, for the brake.
create table removed (
	account integer not null,
	at bigint not null,
	key bytea not null,
	id bytea,
	primary key (account, at, key)
);
