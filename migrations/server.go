package migrations

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
)

// MinServerVersion is the oldest major version of PostgreSQL the shop runs on.
const MinServerVersion = 15

// CheckServer refuses a server older than [MinServerVersion], one that is not PostgreSQL, and a database whose encoding
// cannot hold every character a shopper may type. It asks the server nothing: these facts come with the connection.
func CheckServer(conn *pgx.Conn) error {
	reported := conn.PgConn().ParameterStatus("server_version")
	if conn.PgConn().ParameterStatus("crdb_version") != "" {
		return notPostgreSQL("CockroachDB")
	}
	if strings.Contains(reported, "-YB-") {
		return notPostgreSQL("YugabyteDB")
	}
	// "18.4", "16.9 (Debian 16.9-1)", "19devel", "17beta1".
	digits := strings.IndexFunc(reported, func(r rune) bool { return r < '0' || r > '9' })
	if digits < 0 {
		digits = len(reported)
	}
	major, err := strconv.Atoi(reported[:digits])
	if err != nil {
		return fmt.Errorf("the server does not say its version as PostgreSQL does: %q", reported)
	}
	if major < MinServerVersion {
		return fmt.Errorf("the server is PostgreSQL %s, the shop needs %d or later", reported, MinServerVersion)
	}
	if encoding := conn.PgConn().ParameterStatus("server_encoding"); encoding != "UTF8" {
		return fmt.Errorf("the database %s is encoded in %s, the shop needs UTF8 (CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0)",
			conn.Config().Database, encoding)
	}
	return nil
}

func notPostgreSQL(name string) error {
	return fmt.Errorf("the server is %s, which speaks PostgreSQL's protocol and lacks what the log depends on: advisory locks that pg_locks shows at once, "+
		"and a sequence without a cache. Events would be lost without a sign: name a PostgreSQL server in SHOP_DATABASE_URL", name)
}

// session is what a connection and its server say of themselves.
type session struct {
	// announced is the process number that came with the connection, backend that of the process that answers.
	announced, backend uint32
	// standby: the server is in recovery.
	standby bool
	// synchronousCommit and fsync are the settings.
	synchronousCommit, fsync string
}

func sessionOf(ctx context.Context, conn *pgx.Conn) (session, error) {
	of := session{announced: conn.PgConn().PID()}
	// The simple protocol: poolers confuse prepared statements.
	err := conn.QueryRow(ctx, "SELECT pg_backend_pid(), pg_is_in_recovery(), current_setting('synchronous_commit'), current_setting('fsync')",
		pgx.QueryExecModeSimpleProtocol).Scan(&of.backend, &of.standby, &of.synchronousCommit, &of.fsync)
	if err != nil {
		return of, fmt.Errorf("ask the server for its settings: %w", err)
	}
	return of, nil
}

// check says why the shop cannot use a server in this state, and what to change. lossy accepts one that loses commits in a crash.
func (s session) check(lossy bool) error {
	switch {
	case s.announced != s.backend:
		return fmt.Errorf("a connection pooler stands before PostgreSQL: the connection was announced as process %d and process %d answers. "+
			"A pooler passes the settings of one session on to others, which can make commits asynchronous, and breaks LISTEN and session locks: "+
			"name the host and port of PostgreSQL itself in SHOP_DATABASE_URL (SHOP_DATABASE_CONNS bounds the connections)", s.announced, s.backend)
	case s.standby:
		return errors.New("the server is a standby (in recovery): the shop writes. Name the primary in SHOP_DATABASE_URL, " +
			"or all servers with target_session_attrs=read-write")
	case s.synchronousCommit == "off" && !lossy:
		return errors.New("synchronous_commit is off: PostgreSQL confirms commits that are not on the disk, and a crash loses acknowledged orders. " +
			"Set synchronous_commit = on (ALTER SYSTEM SET synchronous_commit = 'on' and SELECT pg_reload_conf(); " +
			"ALTER ROLE or ALTER DATABASE … RESET synchronous_commit where it was set for the user or the database)")
	case s.fsync == "off" && !lossy:
		return errors.New("fsync is off: a crash of the machine can destroy the database. " +
			"Set fsync = on (ALTER SYSTEM SET fsync = 'on' and SELECT pg_reload_conf())")
	}
	return nil
}

// lossy is set by ForTests.
var lossy atomic.Bool

// ForTests accepts servers with fsync or synchronous_commit off for the rest of the process. The servers of package pgtest are such, and only
// that package calls it: no setting of the program does.
func ForTests() { lossy.Store(true) }

func connect(ctx context.Context, databaseURL string) (*pgx.Conn, error) {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return nil, fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	err = CheckServer(conn)
	if err == nil {
		var of session
		if of, err = sessionOf(ctx, conn); err == nil {
			err = of.check(lossy.Load())
		}
	}
	if err != nil {
		conn.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	return conn, nil
}
