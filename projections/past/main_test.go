package past

import (
	"testing"

	"shop/migrations/pgtest"
)

func TestMain(m *testing.M) { pgtest.Main(m) }
