package readapi_test

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"shop/readapi"
)

func TestZZExplain(t *testing.T) {
	db := largeShop(t, 10_000)
	cfg := db.Config().Copy()
	cfg.ConnConfig.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { fmt.Println(n.Message) }
	cfg.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
		_, err := c.Exec(ctx, "LOAD 'auto_explain'; SET auto_explain.log_min_duration=0; SET auto_explain.log_analyze=on; SET auto_explain.log_timing=on; SET client_min_messages=log", pgx.QueryExecModeSimpleProtocol)
		return err
	}
	cfg.MaxConns = 1
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	shop := routes(db, readapi.Fresh{Positions: standing(1 << 60)}, nil)
	shop2 := routes(pool, readapi.Fresh{Positions: standing(1 << 60)}, nil)
	for _, q := range strings.Split(os.Getenv("QS"), ",") {
		for range 7 {
			get(t, shop, "/api/products/?search="+url.QueryEscape(q))
		}
		fmt.Println("=====", q)
		get(t, shop2, "/api/products/?search="+url.QueryEscape(q))
	}
}
