// Package migrations brings a database to the shape this program needs.
//
// The files NNNN_name.sql beside this one are embedded, numbered from 0001 without gaps, and only ever
// move forward: a file that has been released is never edited, a mistake is repaired by the next file.
// Each file runs in a transaction of its own together with the note that it ran, so a file that fails
// leaves the database at the version before it. A session-level advisory lock lets one process migrate
// while others that start at the same moment wait for it.
//
// The version is kept in the table shop_migrations.version, in a schema of its own, so that a dump of
// the business schemas does not carry it by accident and no search_path hides it.
package migrations
