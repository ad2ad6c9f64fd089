-- The role of the replicas, which read and write rows and change no table. Run it as a superuser of the server,
-- when pubsync has been started once with the address of the role that owns the database, or store copy has been run:
--   psql -v password=... -f role.sql DATABASE
-- The tables are made by the first start, which needs the address of the owner; run this again when they were made anew.
\set ON_ERROR_STOP on
select pg_get_userbyid(nspowner) as owner from pg_namespace where nspname = 'pubsync' \gset
select format('create role pubsync_worker login password %L connection limit 200', :'password')
	where not exists (select from pg_roles where rolname = 'pubsync_worker') \gexec
grant usage on schema pubsync to pubsync_worker;
grant select, insert, update, delete on all tables in schema pubsync to pubsync_worker;
revoke insert, update, delete on pubsync.migration from pubsync_worker;
grant usage on all sequences in schema pubsync to pubsync_worker;
alter default privileges for role :"owner" in schema pubsync
	grant select, insert, update, delete on tables to pubsync_worker;
alter default privileges for role :"owner" in schema pubsync grant usage on sequences to pubsync_worker;
