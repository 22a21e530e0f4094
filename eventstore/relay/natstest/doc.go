// Package natstest runs NATS servers inside a test. Nothing but tests and cmd/scale imports it: the shop's program has the
// client alone.
package natstest
