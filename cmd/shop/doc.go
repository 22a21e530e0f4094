// Command shop is the whole shop in one program: it serves the storefront and its API, and is the command line
// of the people who run it.
//
// This package alone knows every other one. Each subcommand is a file; config holds what the environment
// says, open wires database, log and commands for a subcommand, serve starts and stops everything in order,
// routes lists every URL, problem turns errors into answers.
//
// Exit status: 0 done, 1 refused or failed (one line on stderr says why), 2 wrong usage.
package main
