package embeddedpg

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

const (
	pidFile = "postmaster.pid"

	// noSuchProcess is above every process number a system gives out.
	noSuchProcess = 1 << 30
)

// defaults suit a small machine that runs more than the database; Options.Settings and local.conf go over them.
//
// The log must not remember persons: it says neither statements, which staff type with values in them, nor parameters,
// nor the details of an error, which quote rows. Slow statements stand in pg_stat_statements, without values.
var defaults = map[string]string{
	"listen_addresses":                  "",
	"unix_socket_permissions":           "0700",
	"max_connections":                   "100",
	"shared_buffers":                    "256MB",
	"effective_cache_size":              "1GB",
	"work_mem":                          "8MB",
	"maintenance_work_mem":              "128MB",
	"random_page_cost":                  "1.1", // solid-state disks
	"jit":                               "off", // every query is short
	"fsync":                             "on",
	"synchronous_commit":                "on",
	"wal_compression":                   "on",
	"max_wal_size":                      "2GB", // rare checkpoints: each makes pages be logged whole again
	"min_wal_size":                      "128MB",
	"wal_init_zero":                     "off", // else every commit waits some 40 ms while a new file of the WAL is filled with zeros
	"checkpoint_timeout":                "15min",
	"shared_preload_libraries":          "pg_stat_statements",
	"log_line_prefix":                   "%m [%p] ",
	"log_timezone":                      "UTC",
	"timezone":                          "UTC",
	"log_min_duration_statement":        "-1",
	"log_min_error_statement":           "panic",
	"log_error_verbosity":               "terse",
	"log_parameter_max_length":          "0",
	"log_parameter_max_length_on_error": "0",
	"log_lock_waits":                    "on",
	"log_autovacuum_min_duration":       "-1",
	"log_checkpoints":                   "off",
	"client_connection_check_interval":  "10s", // a query of a killed program ends, and its locks with it
}

// cluster is a data folder of PostgreSQL.
type cluster struct {
	// link is DataDir/postgres, dir what it resolves to.
	link, dir string
	exists    bool
	as        account
}

// openCluster looks at what is there and changes nothing.
func openCluster(opts Options) (cluster, error) {
	c := cluster{link: filepath.Join(opts.DataDir, "postgres"), as: self()}
	c.dir = c.link
	if c.as.uid == 0 {
		c.as = nobody()
	}
	if _, err := os.Lstat(c.link); errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	var err error
	if c.dir, err = filepath.EvalSymlinks(c.link); err != nil {
		return c, fmt.Errorf("%s leads nowhere: %w", c.link, err)
	}
	info, err := os.Stat(c.dir)
	if err != nil {
		return c, fmt.Errorf("open the database folder: %w", err)
	}
	entries, err := os.ReadDir(c.dir)
	if err != nil && !errors.Is(err, fs.ErrPermission) {
		return c, fmt.Errorf("open the database folder: %w", err)
	}
	if err == nil && len(entries) == 0 {
		return c, nil
	}
	c.exists = true
	owner := int(info.Sys().(*syscall.Stat_t).Uid)
	switch me := os.Geteuid(); {
	case me == 0 && owner != 0:
		c.as = account{uid: owner, gid: int(info.Sys().(*syscall.Stat_t).Gid), name: userName(owner), other: true}
	case me != owner && me != 0:
		return c, fmt.Errorf("the database folder %s belongs to %s (uid %d) and this is %s: run this program as that user, or as root, or with another data folder",
			c.dir, userName(owner), owner, c.as)
	}
	return c, nil
}

// prepare makes the cluster if there is none, checks that it is one this server can open, and writes its
// settings.
func (c *cluster) prepare(ctx context.Context, opts Options, bin binaries) error {
	if !c.exists {
		if err := c.create(ctx, opts, bin); err != nil {
			return err
		}
	}
	found, err := os.ReadFile(filepath.Join(c.dir, "PG_VERSION"))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("the folder %s is not empty and holds no PostgreSQL database: move it away, or choose another data folder", c.dir)
	}
	if err != nil {
		return fmt.Errorf("open the database folder: %w", err)
	}
	if is := strings.TrimSpace(string(found)); is != strconv.Itoa(bin.major) {
		with := "PostgreSQL " + is
		if opts.BinariesEnv != "" {
			with = opts.BinariesEnv + "=<" + with + ">"
		}
		return fmt.Errorf("the database folder %s was made by PostgreSQL %s and the binaries here are %s: run this program with %s once more, dump the database with pg_dump, and restore it into a new data folder",
			c.dir, is, bin.version, with)
	}
	if owner, err := os.Stat(c.dir); err == nil && c.as.other && owner.Sys().(*syscall.Stat_t).Uid == 0 {
		// A cluster restored by root with cp or tar.
		if err := c.give(c.dir); err != nil {
			return err
		}
	}
	if err := c.reachable(ctx, c.dir, bin); err != nil {
		return fmt.Errorf("%s cannot enter the database folder %s (%w): let it pass through the folders above, or choose another data folder", c.as, c.dir, err)
	}
	if err := c.buryDead(); err != nil {
		return err
	}
	return c.write(opts.confFile(), opts.conf())
}

// create runs initdb in a folder of its own, which becomes the cluster only when all of it is there.
func (c *cluster) create(ctx context.Context, opts Options, bin binaries) error {
	parent := opts.DataDir
	if c.as.other && c.reachable(ctx, parent, bin) != nil {
		parent = opts.StateDir
		if err := makePassable(parent); err != nil {
			return fmt.Errorf("%s cannot enter %s, and there is no other place for the database: %w", c.as, opts.DataDir, err)
		}
		if err := c.reachable(ctx, parent, bin); err != nil {
			return fmt.Errorf("%s can enter neither %s nor %s: %w", c.as, opts.DataDir, parent, err)
		}
	}
	made, err := os.MkdirTemp(parent, "postgres-new-")
	if err != nil {
		return fmt.Errorf("make the database folder: %w", err)
	}
	defer os.RemoveAll(made)
	if err := c.give(made); err != nil {
		return err
	}
	args := []string{"-D", made, "-U", opts.Name, "--encoding=UTF8", "--auth-local=trust", "--auth-host=reject", "--no-instructions"}
	args = append(args, bin.localeArgs()...)
	if opts.Settings["fsync"] == "off" {
		args = append(args, "--no-sync")
	}
	printed, err := c.as.output(ctx, made, bin.path("initdb"), args...)
	if strings.Contains(printed, "could not look up effective user ID") {
		return fmt.Errorf("uid %d has no name on this system (a line in /etc/passwd), and PostgreSQL makes databases only for named accounts", c.as.uid)
	}
	if err != nil {
		return fmt.Errorf("make the database in %s: %w: %s", c.dir, err, lastLines(printed))
	}
	done := cluster{dir: made, as: c.as}
	if err := done.write("postgresql.conf", ""+
		"# Written once. "+opts.confFile()+" is written anew at every start, local.conf is yours.\n"+
		"include '"+opts.confFile()+"'\ninclude_if_exists 'local.conf'\n"); err != nil {
		return err
	}
	// An empty folder or a link to one may be there already.
	os.Remove(c.link)
	if parent != opts.DataDir {
		kept := filepath.Join(parent, strings.Replace(filepath.Base(made), "-new", "", 1))
		if err := os.Rename(made, kept); err != nil {
			return fmt.Errorf("name the database folder: %w", err)
		}
		if err := os.Symlink(kept, c.link); err != nil {
			return fmt.Errorf("link the database folder: %w", err)
		}
		opts.Logger.Info("the database lives outside the data folder, which the server's account cannot enter",
			"account", c.as.name, "link", c.link, "folder", kept)
		c.dir = kept
	} else if err := os.Rename(made, c.link); err != nil {
		return fmt.Errorf("name the database folder: %w", err)
	} else {
		c.dir = c.link
	}
	c.exists = true
	return nil
}

// reachable says whether the server's account can work in a folder, by trying.
func (c *cluster) reachable(ctx context.Context, dir string, bin binaries) error {
	if !c.as.other {
		return nil
	}
	_, err := c.as.output(ctx, dir, bin.path("postgres"), "--version")
	return err
}

// give makes the server's account the owner of a folder and all in it.
func (c *cluster) give(dir string) error {
	if !c.as.other {
		return nil
	}
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, c.as.uid, c.as.gid)
	})
	if err != nil {
		return fmt.Errorf("give %s to %s, as whom PostgreSQL must run because it refuses root: %w", dir, c.as, err)
	}
	return nil
}

// write puts a file into the cluster. The folder belongs to an account with fewer rights than this process
// may have, so a link planted there must not lead the write elsewhere.
func (c *cluster) write(name, text string) error {
	root, err := os.OpenRoot(c.dir)
	if err != nil {
		return fmt.Errorf("open the database folder: %w", err)
	}
	defer root.Close()
	const half = ".half-written"
	root.Remove(half)
	if err := root.WriteFile(half, []byte(text), 0o600); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	if c.as.other {
		if err := root.Lchown(half, c.as.uid, c.as.gid); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
	}
	if err := root.Rename(half, name); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}

// conf is the present text of a file of settings, empty if there is none.
func (c *cluster) conf(name string) string {
	text, _ := os.ReadFile(filepath.Join(c.dir, name))
	return string(text)
}

// confFile is the name of the file for the settings.
func (o Options) confFile() string { return o.Name + ".conf" }

// conf is the text of that file.
func (o Options) conf() string {
	all := maps.Clone(defaults)
	maps.Copy(all, o.Settings)
	var b strings.Builder
	b.WriteString("# Written at every start; put your own settings into local.conf.\n")
	for _, name := range slices.Sorted(maps.Keys(all)) {
		fmt.Fprintf(&b, "%s = '%s'\n", name, strings.ReplaceAll(all[name], "'", "''"))
	}
	return b.String()
}

// postmaster is what a server notes about itself in postmaster.pid.
type postmaster struct {
	pid int
	// socketDir is the folder of its socket.
	socketDir string
	// status is starting, ready, standby or stopping; empty while the server is still writing the file.
	status string
}

// postmaster reads postmaster.pid; the zero value means that there is none, or not yet.
func (c *cluster) postmaster() (postmaster, error) {
	text, err := os.ReadFile(filepath.Join(c.dir, pidFile))
	if errors.Is(err, fs.ErrNotExist) {
		return postmaster{}, nil
	}
	if err != nil {
		return postmaster{}, fmt.Errorf("read %s: %w", pidFile, err)
	}
	// process, folder, start time, port, socket folder, address, shared memory key, status
	lines := strings.Split(string(text), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(lines[0]))
	if err != nil {
		return postmaster{}, nil
	}
	pm := postmaster{pid: pid}
	if len(lines) > 4 {
		pm.socketDir = lines[4]
	}
	if len(lines) > 7 {
		pm.status = strings.TrimSpace(lines[7])
	}
	return pm, nil
}

// buryDead handles a postmaster.pid whose process number belongs to some other program by now. PostgreSQL
// would take that program for its own former self and refuse to start. The file itself stays, with a number that
// no process has, since PostgreSQL also learns from it which shared memory must be out of use.
func (c *cluster) buryDead() error {
	path := filepath.Join(c.dir, pidFile)
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", pidFile, err)
	}
	pm, err := c.postmaster()
	if err != nil || pm.pid == 0 || isPostmaster(pm.pid, c.dir) {
		return err
	}
	_, rest, found := strings.Cut(string(text), "\n")
	if !found {
		return nil
	}
	return c.write(pidFile, strconv.Itoa(noSuchProcess)+"\n"+rest)
}

// isPostmaster says whether a process is a PostgreSQL server on the folder. A process number alone proves
// nothing: the system reuses it, and one that ended but was not yet waited for still has it.
func isPostmaster(pid int, dir string) bool {
	args := commandLine(pid)
	if len(args) < 3 || filepath.Base(args[0]) != "postgres" {
		return false
	}
	at := slices.Index(args, "-D")
	if at < 0 || at+1 >= len(args) {
		return false
	}
	theirs, err := os.Stat(args[at+1])
	if err != nil {
		return false
	}
	ours, err := os.Stat(dir)
	return err == nil && os.SameFile(theirs, ours)
}
