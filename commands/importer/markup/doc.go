// Package markup turns Markdown that staff write into HTML that is safe to show, and makes any HTML so.
//
// What may stand in a text is a short list of elements (policy.go); everything else is taken out, so that neither a
// slip nor a stolen password puts a script into the shop. docs/content.md tells writers what is left.
package markup
