// Package backup writes what cannot be rebuilt of a shop's database to a file, and fills an empty database from it: the log, the
// keys in it, accounts, waiting work and settings. Tables that the log rebuilds are left out, and with them everything that shows
// persons in clear. Which table is on which side stands in tables.go, and nowhere else. The file is plain: who writes it seals it
// (keyring.Ring.Seal).
package backup
