package migrations

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// UpFrom is Up with other files.
var UpFrom = up

// CheckSession is what Up begins with in the program, where nobody called ForTests.
func CheckSession(ctx context.Context, conn *pgx.Conn) error {
	of, err := sessionOf(ctx, conn)
	if err != nil {
		return err
	}
	return of.check(false)
}
