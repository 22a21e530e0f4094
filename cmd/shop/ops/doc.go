// Package ops holds the endpoints of operators and analysts: projections, builds, dead letters, the log, the live stream,
// past orders, what-if runs, reports and data sets.
//
// Who may call an endpoint is said beside it and enforced in cmd/shop/edge. How projections are rebuilt is in
// projections/rebuild, how history is read in projections/replay.
package ops
