// Package pgtest gives every test a database of its own on a real PostgreSQL.
//
//	func TestSomething(t *testing.T) {
//		t.Parallel()
//		db := pgtest.Open(t)
//
// The first call in a test process starts one server for that process, from a cluster that was made and
// migrated once and is kept in the temporary directory until the migrations change; every test then gets a
// copy of the migrated database, dropped when the test ends. The system ends the server together with the
// process, however that ends (Linux), and the next run removes what a killed one left. A TestMain that
// calls Main is therefore welcome but not needed.
//
// Environment:
//
//	SHOP_TEST_DATABASE_URL  use this server instead; its user must be allowed to create databases
//	SHOP_TEST_FSYNC         on: the server writes through to the disk (default off, which is faster)
package pgtest
