// Package blog publishes, changes and withdraws the posts of the blog.
package blog
