// Package markup turns the Markdown of staff into safe HTML, and sanitises any HTML.
//
// A short list of elements is allowed (policy.go); everything else is removed, so that neither a mistake nor a stolen password
// puts a script into the shop. docs/content.md describes the list for writers.
package markup
