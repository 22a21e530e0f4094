// Package importer makes commands of files: of a catalog in the shape of many shops, and of another shop's orders.
//
// The packages below it read and write the files, and know nothing of commands.
package importer
