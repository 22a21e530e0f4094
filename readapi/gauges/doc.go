// Package gauges reads the numbers of the database that metrics show. Their names are given in cmd/shop/app.
package gauges
