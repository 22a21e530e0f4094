package staff

import "github.com/jackc/pgx/v5/pgxpool"

// Shop reads what the merchant's staff work with: orders, customers, goods, reviews, content.
type Shop struct{ DB *pgxpool.Pool }
