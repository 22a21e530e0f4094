// Package content holds named blocks of text and slides that staff change.
package content
