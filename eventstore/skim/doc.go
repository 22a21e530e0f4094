// Package skim reads some members of a JSON payload and skips all others, many times faster than a decoder. What events mean is the
// business of its callers.
package skim
