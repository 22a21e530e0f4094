package migrations

import "shop/migrations/embeddedpg"

// Embedded completes the options of an embedded server with what the shop calls its own, and where its binaries are.
// What is said already stays, but for the names.
func Embedded(o embeddedpg.Options) embeddedpg.Options {
	o.Name = "shop"
	o.BinariesEnv = "SHOP_POSTGRES_BIN"
	o.NodeModules = "web/node_modules"
	o.Install = "`make build` (or `npm ci` in web/)"
	o.Instead = "set SHOP_DATABASE_URL to use another server"
	if o.StateDir == "" {
		o.StateDir = "/var/lib/shop"
	}
	return o
}
