package blog_test

import (
	"testing"

	"shop/migrations/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }
