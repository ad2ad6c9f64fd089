-- The role of the replicas, which read and write rows and change no table. Run it once, as the role that owns the
-- schema, when pubsync has been started once with the address of that role:
--   psql -v password=... -f role.sql DATABASE
-- The tables are changed by a new version of pubsync at its first start: start that one with the address of the owner.
create role pubsync_worker login password :'password' connection limit 200;
grant usage on schema pubsync to pubsync_worker;
grant select, insert, update, delete on all tables in schema pubsync to pubsync_worker;
revoke insert, update, delete on pubsync.migration from pubsync_worker;
grant usage on all sequences in schema pubsync to pubsync_worker;
alter default privileges in schema pubsync grant select, insert, update, delete on tables to pubsync_worker;
alter default privileges in schema pubsync grant usage on sequences to pubsync_worker;
