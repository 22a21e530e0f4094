// Package builds makes builds of the shop that differ from this source as a newer version would, so that tests of deployments can run
// both side by side.
package builds
