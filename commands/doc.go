// Package commands is the write side: it turns requests of shoppers, staff and policies into events.
//
// A command loads the streams it concerns, lets each aggregate decide, and appends all events at once; when
// another command was faster it decides anew (handler.go). Facts come from the log alone, never from a read
// model; what a command needs from elsewhere it asks for through a one-method interface beside its user.
//
// Endpoints return errors; Answer tells how to say them to a shopper.
package commands
