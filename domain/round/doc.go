// Package round is a courier's day: the order of the stops, and the cash that was handed in for them. Which orders are in it, each
// order's own stream says.
package round
