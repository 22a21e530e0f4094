// Package settingsfile reads files of the shop's settings: YAML or JSON, whole or only the fields that change.
//
// What the settings mean stands in domain/settings; commands.Settings publishes them.
package settingsfile
