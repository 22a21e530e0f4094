// Package cli is the command line, one file a noun: it reads flags, calls a service and prints the answer. What operators and
// analysts use is in cli/operator, what every command is made of in cli/command.
//
// What several nouns print with is in cmd/shop/terminal, the services are in cmd/shop/app. The command serve is in cmd/shop,
// beside the parts that it starts.
package cli
