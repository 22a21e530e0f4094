// Package app holds the settings of the program and what is built of them: the database, the log, the telemetry and every
// service, each once.
//
// HTTP is in cmd/shop/edge, the command line in cmd/shop/cli; both call the services here.
package app
