package migrations

import (
	"cmp"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/tern/v2/migrate"
)

//go:embed *.sql
var embedded embed.FS

// Files are the embedded migrations, for tools that show or fingerprint them.
func Files() fs.FS { return embedded }

const (
	versionSchema = "shop_migrations"
	versionTable  = versionSchema + ".version"

	// migrateLock is the advisory lock of a running Up; any constant no other program uses.
	migrateLock = int64(0x73686f705f6d6967)
)

// Migration is one embedded file and whether a given database has it.
type Migration struct {
	// Number counts from 1.
	Number int
	// Name is the file's name, such as 0001_events.sql.
	Name string
	// Applied says that the database has it.
	Applied bool
}

// Up applies every migration the database does not have yet. It is idempotent, and safe when several
// processes call it at once. It refuses servers older than [MinServerVersion] and databases that a newer
// program has migrated further than this one knows.
func Up(ctx context.Context, databaseURL string) error {
	return up(ctx, databaseURL, embedded)
}

// UpTo is Up to a version and no further, for a database that is filled before the rest.
func UpTo(ctx context.Context, databaseURL string, version int) error {
	names, err := migrate.FindMigrations(embedded)
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	if version > len(names) {
		return newer(version, len(names))
	}
	return upTo(ctx, databaseURL, embedded, version)
}

// Version is the number of the last migration the database has; 0 for a database never migrated.
func Version(ctx context.Context, databaseURL string) (int, error) {
	conn, err := connect(ctx, databaseURL)
	if err != nil {
		return 0, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return versionOf(ctx, conn)
}

// List is every migration this program carries, in order, marked with what the database has.
func List(ctx context.Context, databaseURL string) ([]Migration, error) {
	names, err := migrate.FindMigrations(embedded)
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	current, err := Version(ctx, databaseURL)
	if err != nil {
		return nil, err
	}
	list := make([]Migration, len(names))
	for i, name := range names {
		list[i] = Migration{Number: i + 1, Name: name, Applied: i < current}
	}
	return list, nil
}

func up(ctx context.Context, databaseURL string, files fs.FS) error {
	return upTo(ctx, databaseURL, files, 0)
}

// upTo migrates to a version; 0 is the last one.
func upTo(ctx context.Context, databaseURL string, files fs.FS, version int) (err error) {
	conn, err := connect(ctx, databaseURL)
	if err != nil {
		return err
	}
	// Closing the connection releases the lock even when ctx is already done.
	defer conn.Close(context.WithoutCancel(ctx))

	// Our own lock, taken before tern's, also covers the creation of the schema its table lives in.
	if _, err := conn.Exec(ctx, "SELECT pg_advisory_lock($1)", migrateLock); err != nil {
		return fmt.Errorf("wait for another migration: %w", err)
	}
	// A serving role cannot migrate, and need not where its owner has.
	if done, err := migratedByOthers(ctx, conn, files); done || err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+versionSchema); err != nil {
		return fmt.Errorf("create schema %s: %w", versionSchema, err)
	}
	m, err := migrate.NewMigrator(ctx, conn, versionTable)
	if err != nil {
		return fmt.Errorf("prepare %s: %w", versionTable, err)
	}
	if err := load(m, files); err != nil {
		return err
	}
	current, err := versionOf(ctx, conn)
	if err != nil {
		return err
	}
	if current > len(m.Migrations) {
		return newer(current, len(m.Migrations))
	}
	if err := m.MigrateTo(ctx, int32(cmp.Or(version, len(m.Migrations)))); err != nil { // #nosec G115 -- numbers of files
		return explain(err)
	}
	return nil
}

// migratedByOthers says whether the role may not migrate and the database has all migrations.
func migratedByOthers(ctx context.Context, conn *pgx.Conn, files fs.FS) (bool, error) {
	var may bool
	var role string
	if err := conn.QueryRow(ctx, "SELECT has_database_privilege(current_database(), 'CREATE'), current_user::text").Scan(&may, &role); err != nil || may {
		return false, err
	}
	current, err := versionOf(ctx, conn)
	if err != nil {
		return false, err
	}
	names, err := migrate.FindMigrations(files)
	if err != nil {
		return false, fmt.Errorf("read migrations: %w", err)
	}
	switch {
	case current < len(names):
		return false, fmt.Errorf("the database is at migration %d of %d and its role %s may not migrate: name the owner of the tables in SHOP_DATABASE_OWNER_URL, or run 'shop migrate' with it",
			current, len(names), role)
	case current > len(names):
		return false, newer(current, len(names))
	}
	return true, nil
}

// newer refuses a database that a newer program has migrated.
func newer(current, known int) error {
	return fmt.Errorf("the database is at migration %d but this program knows only %d: run the newer program", current, known)
}

// load hands the files to tern as they are. Its own loader would read them as Go templates, and SQL with
// JSON in it has braces.
func load(m *migrate.Migrator, files fs.FS) error {
	names, err := migrate.FindMigrations(files)
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	for _, name := range names {
		sql, err := fs.ReadFile(files, name)
		if err != nil {
			return fmt.Errorf("read migration %s: %w", name, err)
		}
		m.AppendMigration(name, string(sql), "")
	}
	return nil
}

// explain adds to a server's refusal the line of the file it complains about.
func explain(err error) error {
	var refused migrate.MigrationPgError
	if !errors.As(err, &refused) {
		return fmt.Errorf("migrate: %w", err)
	}
	where := refused.MigrationName
	if at := int(refused.Position); at > 0 && at <= len(refused.Sql)+1 {
		// Position counts characters, from 1.
		before := []rune(refused.Sql)[:min(at-1, len([]rune(refused.Sql)))]
		where += ":" + strconv.Itoa(strings.Count(string(before), "\n")+1)
	}
	return fmt.Errorf("migration %s failed, the database stays at the version before it: %w", where, refused.PgError)
}

func versionOf(ctx context.Context, conn *pgx.Conn) (int, error) {
	var current int
	err := conn.QueryRow(ctx, "SELECT version FROM "+versionTable).Scan(&current)
	var refused *pgconn.PgError
	if errors.As(err, &refused) && (refused.Code == undefinedTable || refused.Code == undefinedSchema) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", versionTable, err)
	}
	return current, nil
}

// SQLSTATE codes of a database never migrated.
const (
	undefinedTable  = "42P01"
	undefinedSchema = "3F000"
)
