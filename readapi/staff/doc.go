// Package staff holds what operators, analysts and the shop's staff read, one file a noun: the types that HTTP answers with and
// the command line prints, how each is made of what is read, and the SQL that reads it. Begin with [Reader], which reads the
// log and the read models' state, and with [Shop], which lists orders, customers and goods.
//
// A noun is a type with its JSON fields (Build), made by a function (BuildOf) or read by a method (Reader.Builds). Where the
// JSON of the command line has other fields than that of HTTP, it is a type of its own (BuildLine), beside the first one and
// embedding what both have.
//
// Shoppers' reads are in readapi, reports in readapi/reports. The endpoints are in cmd/shop/ops, the commands in cmd/shop/cli.
package staff
