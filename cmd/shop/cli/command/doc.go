// Package command is what every command of the command line is made of: it opens the shop as whoever runs it, groups
// subcommands and reads the flags that several share. What a command does is in cli and in cli/operator.
package command
