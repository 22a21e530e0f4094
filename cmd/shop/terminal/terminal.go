package terminal

import "io"

// World is what the program sees of the machine; tests give it another.
type World struct {
	Getenv         func(string) string
	Stdout, Stderr io.Writer
}

// Exit statuses.
const (
	Done   = 0
	Failed = 1
	Misuse = 2
)

// UsageError is a command line that makes no sense, as opposed to one that cannot be carried out.
type UsageError struct{ error }

// Usage is an error of usage: the process ends with Misuse.
func Usage(err error) error { return UsageError{err} }
