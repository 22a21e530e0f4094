// Package catalogfile reads catalog files that merchants keep: CSV as Excel
// writes it, and YML, the XML catalog of Russian-language marketplaces.
//
// It turns a file into rows and knows nothing about products, events or
// storage. [Open] recognises format, encoding and delimiter; [Reader.Next]
// answers one row at a time, so a file of any length needs the memory of one
// row. A row that cannot be used is a [*RowError] and reading continues with the next one; only a file that is not a catalog
// at all is a fatal error.
//
// docs/catalog-files.md describes both formats for the people who write them.
package catalogfile
