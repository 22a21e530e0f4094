// Package commands is the write side: it turns what shoppers, staff and policies ask for into events.
//
// A command loads the streams it concerns, lets each aggregate decide, and appends all events at once; when
// another command was faster it decides anew (handler.go). Facts come from the log alone, never from a read
// model; what a command needs from elsewhere it asks for through a one-method interface beside its user.
//
// A use case takes a command and answers with its result, or with an error: *Invalid for wrong fields, *Outdated, a
// *domain.Refusal, or else trouble of the shop's own. It knows nothing of HTTP: endpoints are in shopapi and staffapi.
package commands
