// Command shop is an online shop whose memory is a log of events: storefront, API, command line and projections in one
// program.
//
// Here are main and the command serve: which parts run, in what order they start and stop. What they are made of is in the
// folders below: app (settings, services), edge (HTTP), ops (operators and analysts), pages (rendering), cli (command
// line), demo (its past).
//
// Exit status: 0 done, 1 refused or failed (one line on stderr says why), 2 wrong usage.
package main
