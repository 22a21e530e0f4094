// Package operator is the part of the command line that keeps the shop running and asks its history: the log, read models,
// dead letters, keys, files, health, replays and reports. What the merchant's staff do is one folder up.
package operator
