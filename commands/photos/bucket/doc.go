// Package bucket keeps photos in a bucket of an S3 service, with a checksum of each that is compared whenever it is read.
package bucket
