// Package rulesfile reads files of the shop's rules: YAML or JSON, whole or only the fields that change.
//
// What the rules mean stands in domain/rules; commands.Rules puts them in force.
package rulesfile
