package migrations

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
)

// MinServerVersion is the oldest major version of PostgreSQL the shop runs on.
const MinServerVersion = 15

// CheckServer refuses a server older than [MinServerVersion] and a database whose encoding cannot hold
// every character a shopper may type. It asks the server nothing: both facts come with the connection.
func CheckServer(conn *pgx.Conn) error {
	reported := conn.PgConn().ParameterStatus("server_version")
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

func connect(ctx context.Context, databaseURL string) (*pgx.Conn, error) {
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		return nil, fmt.Errorf("connect to PostgreSQL: %w", err)
	}
	if err := CheckServer(conn); err != nil {
		conn.Close(context.WithoutCancel(ctx))
		return nil, err
	}
	return conn, nil
}
