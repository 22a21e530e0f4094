package embeddedpg

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// childEnv makes this test binary behave as a program that starts a server and never stops it.
const childEnv = "EMBEDDEDPG_TEST_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		s, err := Start(context.Background(), named(Options{
			DataDir: dir, Settings: quick, DieWithProcess: os.Getenv(childEnv+"_DIES") == "yes",
		}))
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println(s.PID())
		select {}
	}
	code := m.Run()
	os.RemoveAll(stocked.parent)
	os.Exit(code)
}

// quick spares the disk; no test here pulls a plug.
var quick = map[string]string{"fsync": "off", "shared_buffers": "16MB", "dynamic_shared_memory_type": "mmap"}

// stocked is a data folder whose cluster was made once for all tests that do not care how.
var stocked struct {
	once        sync.Once
	parent, dir string
	err         error
}

// stockedDir is a copy of it.
func stockedDir(t *testing.T) string {
	t.Helper()
	stocked.once.Do(func() {
		if stocked.parent, stocked.err = passableTemp("embeddedpg-stocked-"); stocked.err != nil {
			return
		}
		stocked.dir = filepath.Join(stocked.parent, "data")
		var s *Server
		s, stocked.err = Start(context.Background(), named(Options{
			DataDir: stocked.dir, StateDir: filepath.Join(stocked.parent, "state"), Settings: quick, DieWithProcess: true,
		}))
		if stocked.err == nil {
			stocked.err = s.Stop(context.Background())
		}
	})
	if stocked.err != nil {
		t.Fatal(stocked.err)
	}
	dir := filepath.Join(tempDir(t), "data")
	if said, err := exec.Command("cp", "-a", stocked.dir, dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	return dir
}

// ours is what the tests call their servers, and where their binaries are.
var ours = Options{Name: "chandlery", BinariesEnv: "SHOP_POSTGRES_BIN", NodeModules: "web/node_modules"}

// named completes options with it.
func named(opts Options) Options {
	opts.Name, opts.BinariesEnv, opts.NodeModules = ours.Name, ours.BinariesEnv, ours.NodeModules
	return opts
}

func withDefaults(t *testing.T, opts Options) Options {
	t.Helper()
	opts = named(opts)
	if opts.Settings == nil {
		opts.Settings = quick
	}
	if opts.StateDir == "" {
		opts.StateDir = filepath.Join(tempDir(t), "state")
	}
	return opts
}

func start(t *testing.T, opts Options) *Server {
	t.Helper()
	s, err := Start(t.Context(), withDefaults(t, opts))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, s) })
	return s
}

// tempDir is a folder that other accounts can pass through; those of the testing package are closed to them.
func tempDir(t *testing.T) string {
	t.Helper()
	dir, err := passableTemp("embeddedpg-" + strings.ReplaceAll(t.Name(), "/", "-"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

func passableTemp(prefix string) (string, error) {
	// In memory where there is place enough: each cluster is a thousand files.
	parent := os.TempDir()
	var memory syscall.Statfs_t
	if err := syscall.Statfs("/dev/shm", &memory); err == nil && uint64(memory.Bavail)*uint64(memory.Bsize) > 2<<30 {
		parent = "/dev/shm"
	}
	dir, err := os.MkdirTemp(parent, prefix)
	if err != nil {
		return "", err
	}
	return dir, os.Chmod(dir, 0o711)
}

// refused returns the text of the error that Start must fail with, and checks that nothing is left running.
func refused(t *testing.T, opts Options) string {
	t.Helper()
	s, err := Start(t.Context(), withDefaults(t, opts))
	if err == nil {
		stop(t, s)
		t.Fatal("Start succeeded")
	}
	return err.Error()
}

func stop(t *testing.T, s *Server) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := s.Stop(ctx); err != nil {
		t.Error(err)
	}
}

func query[T any](t *testing.T, s *Server, sql string) T {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), s.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	var answer T
	if err := conn.QueryRow(t.Context(), sql).Scan(&answer); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return answer
}

func contains(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in:\n%s", part, text)
		}
	}
}

// within waits for something another process does.
func within(t *testing.T, what string, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatalf("%s did not happen", what)
	}
}

// gone waits until a server's process has ended.
func gone(t *testing.T, s *Server) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); isPostmaster(s.PID(), s.cluster.dir); time.Sleep(poll) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d still runs", s.PID())
		}
	}
}

func TestDataSurvivesAStop(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(tempDir(t), "not", "there", "yet")
	s := start(t, Options{DataDir: dir})
	conn, err := pgx.Connect(t.Context(), s.URL())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := conn.Exec(t.Context(), "CREATE TABLE kept AS SELECT 42 AS answer"); err != nil {
		t.Fatal(err)
	}
	conn.Close(t.Context())
	stop(t, s)
	gone(t, s)
	within(t, "Done", s.Done())

	again := start(t, Options{DataDir: dir})
	if again.Reused() {
		t.Error("the second start found a server running")
	}
	if got := query[int](t, again, "SELECT answer FROM kept"); got != 42 {
		t.Errorf("answer = %d", got)
	}
}

func TestServerIsAsPromised(t *testing.T) {
	t.Parallel()
	s := start(t, Options{DataDir: tempDir(t), Settings: map[string]string{"application_name": "it's"}})
	for sql, want := range map[string]string{
		"SELECT current_database()":     "chandlery",
		"SELECT current_user":           "chandlery",
		"SHOW fsync":                    "on",
		"SHOW synchronous_commit":       "on",
		"SHOW full_page_writes":         "on",
		"SHOW data_checksums":           "on",
		"SHOW max_connections":          "100",
		"SHOW shared_buffers":           "256MB",
		"SHOW listen_addresses":         "",
		"SHOW shared_preload_libraries": "pg_stat_statements",
		"SHOW server_encoding":          "UTF8",
		"SHOW timezone":                 "UTC",
		"SHOW application_name":         "it's",
		"SELECT lower('ЩЁТКА')":         "щётка",
		"SELECT to_tsvector('russian', 'Увлажняющие кремы')::text":                                            "'крем':2 'увлажня':1",
		"SELECT (SELECT string_agg(x, '') FROM (VALUES ('а'), ('б'), ('A')) AS v(x) WHERE x ~ '[[:alpha:]]')": "абA",
	} {
		if got := query[string](t, s, sql); got != want {
			t.Errorf("%s = %q, want %q", sql, got, want)
		}
	}
	conn, err := pgx.Connect(t.Context(), s.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	for _, extension := range []string{"pg_trgm", "unaccent", "pg_stat_statements"} {
		if _, err := conn.Exec(t.Context(), "CREATE EXTENSION "+extension); err != nil {
			t.Errorf("%s: %v", extension, err)
		}
	}
	var similar float64
	if err := conn.QueryRow(t.Context(), "SELECT similarity('шампунь', 'шампунъ')").Scan(&similar); err != nil || similar < 0.5 {
		t.Errorf("trigrams do not know Cyrillic letters: %v, %v", similar, err)
	}
	info, err := os.Stat(s.cluster.dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder of socket and data is open to others: %v, %v", info.Mode(), err)
	}
}

// Ctrl-C reaches every process of a terminal's foreground group; the server must outlive the requests in progress.
func TestServerIsApartFromItsShop(t *testing.T) {
	s := func() *Server {
		t.Setenv("SHOP_SMTP_URL", "smtp://user:secret@host")
		return start(t, Options{DataDir: stockedDir(t)})
	}()
	group, err := syscall.Getpgid(s.PID())
	if err != nil || group != s.PID() {
		t.Errorf("process %d is of group %d, %v", s.PID(), group, err)
	}
	for _, variable := range s.cluster.as.command(t.Context(), "/", "env").Env {
		if strings.Contains(variable, "secret") {
			t.Errorf("the server is told %s", variable)
		}
	}
}

func TestStopTwice(t *testing.T) {
	t.Parallel()
	s := start(t, Options{DataDir: stockedDir(t)})
	stop(t, s)
	stop(t, s)
}

func TestStopInAHurry(t *testing.T) {
	t.Parallel()
	dir := stockedDir(t)
	s := start(t, Options{DataDir: dir})
	over, cancel := context.WithCancel(t.Context())
	cancel()
	err := s.end(over)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("err = %v", err)
	}
	gone(t, s)
	start(t, Options{DataDir: dir})
}

func TestLastOneOutStopsTheServer(t *testing.T) {
	t.Parallel()
	dir := stockedDir(t)
	first := start(t, Options{DataDir: dir})
	second := start(t, Options{DataDir: dir})
	if !second.Reused() || second.PID() != first.PID() {
		t.Fatalf("second: reused %v, process %d; first: process %d", second.Reused(), second.PID(), first.PID())
	}
	stop(t, first)
	if got := query[int](t, second, "SELECT 1"); got != 1 {
		t.Errorf("SELECT 1 = %d", got)
	}
	stop(t, second)
	gone(t, second)
}

// A process that still counts as a user of a server that crashed stops the one that another started since.
func TestLastOneOutStopsALaterServer(t *testing.T) {
	t.Parallel()
	dir := stockedDir(t)
	first := start(t, Options{DataDir: dir})
	signal(t, first.PID(), syscall.SIGKILL)
	within(t, "Done", first.Done())
	second := start(t, Options{DataDir: dir})
	stop(t, second)
	query[int](t, second, "SELECT 1")
	stop(t, first)
	gone(t, second)
}

func TestStartsAtOnceOnAnEmptyFolder(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	var servers [4]*Server
	var failed [4]error
	var all sync.WaitGroup
	for i := range servers {
		all.Go(func() { servers[i], failed[i] = Start(t.Context(), named(Options{DataDir: dir, Settings: quick})) })
	}
	all.Wait()
	started := 0
	for i, s := range servers {
		if failed[i] != nil {
			t.Fatal(failed[i])
		}
		if !s.Reused() {
			started++
		}
		if s.PID() != servers[0].PID() {
			t.Errorf("two servers: %d and %d", s.PID(), servers[0].PID())
		}
	}
	if started != 1 {
		t.Errorf("%d servers were started", started)
	}
	for _, s := range servers {
		stop(t, s)
	}
	gone(t, servers[0])
}

// killedShop starts a process that starts a server, and kills that process.
func killedShop(t *testing.T, dir string, dies bool) (serverPID int) {
	t.Helper()
	program := exec.Command(os.Args[0])
	program.Env = append(os.Environ(), childEnv+"="+dir)
	if dies {
		program.Env = append(program.Env, childEnv+"_DIES=yes")
	}
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	program.Process.Kill()
	program.Wait()
	if serverPID, err = strconv.Atoi(strings.TrimSpace(line)); err != nil {
		t.Fatalf("the child says %q", line)
	}
	return serverPID
}

func TestKilledShopLeavesAServerThatIsAdopted(t *testing.T) {
	t.Parallel()
	dir := stockedDir(t)
	pid := killedShop(t, dir, false)
	s := start(t, Options{DataDir: dir})
	if !s.Reused() || s.PID() != pid {
		t.Errorf("reused %v, process %d; the killed program's server is %d", s.Reused(), s.PID(), pid)
	}
	query[int](t, s, "SELECT 1")
	stop(t, s)
	gone(t, s)
}

func TestKilledServerIsStartedAnew(t *testing.T) {
	t.Parallel()
	for name, reused := range map[string]bool{"own": false, "reused": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := stockedDir(t)
			s := start(t, Options{DataDir: dir})
			if reused {
				s = start(t, Options{DataDir: dir})
			}
			signal(t, s.PID(), syscall.SIGKILL)
			within(t, "Done", s.Done())
			again := start(t, Options{DataDir: dir})
			if again.Reused() || again.PID() == s.PID() {
				t.Errorf("reused %v, process %d", again.Reused(), again.PID())
			}
			query[int](t, again, "SELECT 1")
		})
	}
}

func TestProcessNumberInStalePidFileBelongsToAnother(t *testing.T) {
	t.Parallel()
	dir := stockedDir(t)
	s := start(t, Options{DataDir: dir})
	signal(t, s.PID(), syscall.SIGKILL)
	gone(t, s)
	// PostgreSQL looks only at processes of its own account.
	stranger := s.cluster.as.command(t.Context(), "/", "/bin/sleep", "600")
	if err := stranger.Start(); err != nil {
		t.Fatal(err)
	}
	defer stranger.Wait()
	defer stranger.Process.Kill()
	path := filepath.Join(s.cluster.dir, pidFile)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "\n")
	if err := os.WriteFile(path, []byte(strconv.Itoa(stranger.Process.Pid)+"\n"+rest), 0o600); err != nil {
		t.Fatal(err)
	}
	again := start(t, Options{DataDir: dir})
	query[int](t, again, "SELECT 1")
}

func TestChangedSettings(t *testing.T) {
	t.Parallel()
	dir := stockedDir(t)
	s := start(t, Options{DataDir: dir})
	changed := maps.Clone(quick)
	changed["shared_buffers"] = "24MB"

	beside := start(t, Options{DataDir: dir, Settings: changed})
	if got := query[string](t, beside, "SHOW shared_buffers"); got != "16MB" {
		t.Errorf("the server was changed under another process: shared_buffers = %s", got)
	}
	// As a killed program would, both let go without stopping.
	if err := errors.Join(beside.users.flock(syscall.LOCK_UN), s.users.flock(syscall.LOCK_UN)); err != nil {
		t.Fatal(err)
	}

	alone := start(t, Options{DataDir: dir, Settings: changed})
	if got := query[string](t, alone, "SHOW shared_buffers"); got != "24MB" {
		t.Errorf("shared_buffers = %s", got)
	}
	stop(t, alone)

	if err := alone.cluster.write("local.conf", "shared_buffers = '32MB'\n"); err != nil {
		t.Fatal(err)
	}
	local := start(t, Options{DataDir: dir, Settings: changed})
	if got := query[string](t, local, "SHOW shared_buffers"); got != "32MB" {
		t.Errorf("local.conf is not heeded: shared_buffers = %s", got)
	}
}

func TestLongPath(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(tempDir(t), strings.Repeat("long/", 20))
	s := start(t, Options{DataDir: dir})
	other := start(t, Options{DataDir: dir})
	query[int](t, other, "SELECT 1")
	pm, err := s.cluster.postmaster()
	if err != nil || pm.socketDir == s.cluster.dir {
		t.Fatalf("socket in %s, %v", pm.socketDir, err)
	}
	if info, err := os.Stat(pm.socketDir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder of the socket is open to others: %v, %v", info, err)
	}
	stop(t, s)
	stop(t, other)
	if _, err := os.Stat(pm.socketDir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is left: %v", pm.socketDir, err)
	}
}

func TestNothingButOurSocketFolderIsRemoved(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	removeSocketDir(dir)
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
	ours := filepath.Join(dir, socketPrefix+"1")
	kept := filepath.Join(ours, "kept")
	if err := errors.Join(os.Mkdir(ours, 0o700), os.WriteFile(kept, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	removeSocketDir(ours)
	if _, err := os.Stat(kept); err != nil {
		t.Error(err)
	}
}

// locked is a folder that only this account can enter. Unlike tempDir it is on the disk: programs may be
// forbidden to run from memory.
func locked(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "locked")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// Root's own folders are closed to the account the server runs as. For any other user this is an ordinary start.
func TestUnreachablePlaces(t *testing.T) {
	t.Parallel()
	bin, err := FindBinaries(ours)
	if err != nil {
		t.Fatal(err)
	}
	native := filepath.Join(locked(t), "native")
	if err := os.CopyFS(native, os.DirFS(filepath.Dir(bin))); err != nil {
		t.Fatal(err)
	}
	open, err := os.MkdirTemp("", "embeddedpg-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(open)
	if err := os.Chmod(open, 0o711); err != nil {
		t.Fatal(err)
	}
	opts := Options{
		DataDir: filepath.Join(locked(t), "data"), Binaries: native, StateDir: filepath.Join(open, "state"),
	}
	for range 2 {
		s := start(t, opts)
		query[int](t, s, "SELECT 1")
		stop(t, s)
		outside := strings.HasPrefix(s.cluster.dir, opts.StateDir)
		if root := os.Geteuid() == 0; outside != root {
			t.Errorf("root %v, cluster %s", root, s.cluster.dir)
		}
	}
	if os.Geteuid() != 0 {
		return
	}
	if err := os.Chmod(opts.StateDir, 0o700); err != nil {
		t.Fatal(err)
	}
	contains(t, refused(t, opts), "nobody", "cannot run", "let it pass")
	fresh := opts
	fresh.DataDir = filepath.Join(locked(t), "data")
	fresh.Binaries = bin
	contains(t, refused(t, fresh), "nobody", "can enter neither", fresh.DataDir, fresh.StateDir)
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	t.Run("no folder named", func(t *testing.T) {
		contains(t, refused(t, Options{}), "DataDir is empty")
	})
	t.Run("the folder is a file", func(t *testing.T) {
		path := filepath.Join(tempDir(t), "file")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		contains(t, refused(t, Options{DataDir: path}), "data folder", path, "not a directory")
	})
	t.Run("no binaries", func(t *testing.T) {
		contains(t, refused(t, Options{DataDir: tempDir(t), Binaries: tempDir(t)}), ErrNoBinaries.Error())
	})
	t.Run("broken binaries", func(t *testing.T) {
		bin := tempDir(t)
		for _, name := range []string{"postgres", "initdb"} {
			if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\necho library missing\nexit 3\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		contains(t, refused(t, Options{DataDir: tempDir(t), Binaries: bin}), "exit status 3", "library missing")
	})
	t.Run("not a database", func(t *testing.T) {
		dir := tempDir(t)
		if err := errors.Join(os.Mkdir(filepath.Join(dir, "postgres"), 0o755),
			os.WriteFile(filepath.Join(dir, "postgres", "letter.txt"), nil, 0o644)); err != nil {
			t.Fatal(err)
		}
		contains(t, refused(t, Options{DataDir: dir}), "holds no PostgreSQL database")
	})
	t.Run("the database leads nowhere", func(t *testing.T) {
		dir := tempDir(t)
		if err := os.Symlink(filepath.Join(dir, "gone"), filepath.Join(dir, "postgres")); err != nil {
			t.Fatal(err)
		}
		contains(t, refused(t, Options{DataDir: dir}), "leads nowhere")
	})
	t.Run("another major version", func(t *testing.T) {
		dir := stockedDir(t)
		if err := os.WriteFile(filepath.Join(dir, "postgres", "PG_VERSION"), []byte("16\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		contains(t, refused(t, Options{DataDir: dir}), "made by PostgreSQL 16", "binaries here are 18")
	})
	t.Run("a setting that does not exist", func(t *testing.T) {
		dir := stockedDir(t)
		contains(t, refused(t, Options{DataDir: dir, Settings: map[string]string{"fsync": "off", "no_such_setting": "1"}}),
			"did not start", "no_such_setting", "postgres.log")
		start(t, Options{DataDir: dir})
	})
	t.Run("initdb fails", func(t *testing.T) {
		dir := tempDir(t)
		over, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := Start(over, named(Options{DataDir: dir, Settings: quick})); !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v", err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "postgres*-*")); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
		start(t, Options{DataDir: dir})
	})
}

func TestWaitForAnotherStartEndsWithTheContext(t *testing.T) {
	t.Parallel()
	dir := tempDir(t)
	mutex, err := acquire(t.Context(), filepath.Join(dir, "postgres.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer mutex.release()
	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = Start(over, named(Options{DataDir: dir}))
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("err = %v", err)
	}
	contains(t, err.Error(), "another process is starting or stopping the server")
}

func TestURLIsForEveryClient(t *testing.T) {
	t.Parallel()
	address, err := url.Parse(connString("/with space/&?", "tackle"))
	if err != nil {
		t.Fatal(err)
	}
	config, err := pgx.ParseConfig(connString("/with space/&?", "tackle"))
	if err != nil {
		t.Fatal(err)
	}
	if address.Path != "/tackle" || config.Host != "/with space/&?" || config.User != "tackle" || config.Database != "tackle" {
		t.Errorf("%v: host %q, user %q, database %q", address, config.Host, config.User, config.Database)
	}
}
