// Package images knows the photographs that the program brings with it, which are files of the storefront: their sizes and their
// small stand-ins. Catalog files, content and posts name them by path, and so does the demo.
//
// Pictures that staff upload live in commands/photos.
package images
