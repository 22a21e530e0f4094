// Package pagefile reads what staff write in files: Markdown with YAML front matter for the blog's posts, front matter
// alone for content blocks. docs/content.md describes both for the people who write them.
//
// What is wrong with a file is an [*Error] that names the line and the field.
package pagefile
