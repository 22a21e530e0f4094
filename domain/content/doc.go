// Package content holds named blocks of text and slides that staff change. Text arrives sanitised already.
package content
