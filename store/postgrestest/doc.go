// Package postgrestest starts a PostgreSQL for a test, from Debian's packages, in a temporary
// folder. It never runs as root, which PostgreSQL refuses: a test of root's runs it as the user
// postgres.
package postgrestest
