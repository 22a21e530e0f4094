// Package post is one post of the blog: published, changed, and taken out of sight.
//
// HTML arrives here sanitised already and is stored as it will be shown.
package post
