-- The replicas that work on accounts, by the note that their leases have.
create table replica (
	owner text primary key,
	expires timestamptz not null
);
create index replica_expires on replica (expires);
