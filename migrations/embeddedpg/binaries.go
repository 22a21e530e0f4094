package embeddedpg

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// ErrNoBinaries says that no server binaries were found; the text says where and what to run.
var ErrNoBinaries = errors.New("PostgreSQL binaries are missing")

// FindBinaries returns the folder that holds postgres and initdb. It looks, in this order, at Options.Binaries, at the
// environment variable Options.BinariesEnv (the folder itself, or its parent), and for Options.NodeModules in the working
// directory, in the folder above it that has go.mod, and beside the executable (its own folder and the one above).
func FindBinaries(opts Options) (string, error) {
	opts, err := opts.complete()
	if err != nil {
		return "", err
	}
	return opts.findBinaries()
}

func (o Options) findBinaries() (string, error) {
	if o.Binaries != "" {
		bin, err := binIn(o.Binaries)
		if err != nil {
			return "", fmt.Errorf("%w: %w", ErrNoBinaries, err)
		}
		return bin, nil
	}
	if override := o.override(); override != "" {
		bin, err := binIn(override)
		if err != nil {
			return "", fmt.Errorf("%w: %s=%s: %w", ErrNoBinaries, o.BinariesEnv, override, err)
		}
		return bin, nil
	}
	roots := projectRoots()
	for _, root := range roots {
		native := filepath.Join(root, filepath.FromSlash(o.NodeModules), "@embedded-postgres", platform(), "native")
		if bin, err := binIn(native); err == nil {
			return bin, nil
		}
	}
	advice := []string{"run " + o.Install}
	if o.BinariesEnv != "" {
		advice = append(advice, "point "+o.BinariesEnv+" at a folder with postgres and initdb")
	}
	if o.Instead != "" {
		advice = append(advice, o.Instead)
	}
	return "", fmt.Errorf("%w: no %s/@embedded-postgres/%s in %s; %s",
		ErrNoBinaries, o.NodeModules, platform(), strings.Join(roots, ", "), strings.Join(advice, ", or "))
}

// override is what the environment says of the binaries; empty: nothing.
func (o Options) override() string {
	if o.BinariesEnv == "" {
		return ""
	}
	return os.Getenv(o.BinariesEnv)
}

// binIn accepts a bin folder or the folder above it, as an absolute path.
func binIn(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	var missing error
	for _, bin := range []string{filepath.Join(dir, "bin"), dir} {
		missing = nil
		for _, name := range []string{"postgres", "initdb"} {
			if _, err := os.Stat(filepath.Join(bin, name)); err != nil {
				missing = err
			}
		}
		if missing == nil {
			return bin, nil
		}
	}
	return "", missing
}

// projectRoots are the folders that may have Options.NodeModules below them.
func projectRoots() []string {
	var roots []string
	add := func(dir string) {
		for _, known := range roots {
			if known == dir {
				return
			}
		}
		roots = append(roots, dir)
	}
	if dir, err := os.Getwd(); err == nil {
		add(dir)
		for at := dir; ; at = filepath.Dir(at) {
			if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
				add(at)
				break
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	if exe, err := os.Executable(); err == nil {
		if real, err := filepath.EvalSymlinks(exe); err == nil {
			exe = real
		}
		add(filepath.Dir(exe))
		add(filepath.Dir(filepath.Dir(exe)))
	}
	return roots
}

// platform is this machine in npm's words.
func platform() string {
	system, processor := runtime.GOOS, runtime.GOARCH
	if processor == "amd64" {
		processor = "x64"
	}
	return system + "-" + processor
}

// hydrate makes the symbolic links that npm archives cannot carry and that the package's install script
// would make, were it not for `npm ci --ignore-scripts`. Links that exist are left alone.
func hydrate(native string) error {
	listed, err := os.ReadFile(filepath.Join(native, "pg-symlinks.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the binaries' list of links: %w", err)
	}
	var links []struct {
		// Source exists, Target is to point to it; both are relative to the package.
		Source, Target string
	}
	if err := json.Unmarshal(listed, &links); err != nil {
		return fmt.Errorf("read %s: %w", filepath.Join(native, "pg-symlinks.json"), err)
	}
	home, err := os.OpenRoot(filepath.Dir(native))
	if err != nil {
		return fmt.Errorf("open the binaries' package: %w", err)
	}
	defer home.Close()
	for _, link := range links {
		if _, err := home.Lstat(link.Target); err == nil {
			continue
		}
		pointsTo, err := filepath.Rel(filepath.Dir(link.Target), link.Source)
		if err != nil {
			return fmt.Errorf("link %s: %w", link.Target, err)
		}
		// Two processes may do this at once.
		if err := home.Symlink(pointsTo, link.Target); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("link %s: %w", link.Target, err)
		}
	}
	return nil
}

// binaries are server programs that the server's account can run.
type binaries struct {
	dir string
	// version is what postgres says of itself, such as 18.4; major its first number.
	version string
	major   int
}

func (b binaries) path(name string) string { return filepath.Join(b.dir, name) }

// prepareBinaries finds the binaries and tries them as the account that will run them. Where root's binaries
// are out of that account's reach, a copy of them is used.
func prepareBinaries(ctx context.Context, opts Options, as account) (binaries, error) {
	dir, err := opts.findBinaries()
	if err != nil {
		return binaries{}, err
	}
	if err := hydrate(filepath.Dir(dir)); err != nil {
		return binaries{}, err
	}
	b := binaries{dir: dir}
	said, err := as.output(ctx, "/", b.path("postgres"), "--version")
	if errors.Is(err, syscall.EPERM) && as.other {
		advice := "run this program as an ordinary user"
		if opts.Instead != "" {
			advice += ", or " + opts.Instead
		}
		return b, fmt.Errorf("this root may not run a program as %s, and PostgreSQL refuses to run as root: %s", as, advice)
	}
	// EACCES, unlike EPERM, is about the path.
	if errors.Is(err, syscall.EACCES) && as.other && movable(dir) {
		if b.dir, err = copyBinaries(dir, filepath.Join(opts.StateDir, "binaries")); err != nil {
			return b, err
		}
		opts.Logger.Info("PostgreSQL runs from a copy of its binaries, which its account can reach", "account", as.name, "folder", b.dir)
		said, err = as.output(ctx, "/", b.path("postgres"), "--version")
	}
	if errors.Is(err, syscall.EACCES) {
		return b, fmt.Errorf("%s cannot run %s: let it pass through the folders above", as, b.path("postgres"))
	}
	if err != nil {
		return b, fmt.Errorf("run %s as %s: %w: %s", b.path("postgres"), as, err, lastLines(said))
	}
	// postgres (PostgreSQL) 18.4
	_, b.version, _ = strings.Cut(strings.TrimSpace(said), ") ")
	if n, _ := fmt.Sscanf(b.version, "%d", &b.major); n != 1 {
		return b, fmt.Errorf("%s does not say its version: %q", b.path("postgres"), said)
	}
	return b, nil
}

// movable says whether a bin folder is part of a whole that works from any place, as the npm package does.
func movable(bin string) bool {
	share, err := os.Stat(filepath.Join(filepath.Dir(bin), "share", "postgresql"))
	return err == nil && share.IsDir() && filepath.Base(bin) == "bin"
}

// copyBinaries copies the folder above bin, with its libraries, once per state of the original.
func copyBinaries(bin, under string) (string, error) {
	info, err := os.Stat(filepath.Join(bin, "postgres"))
	if err != nil {
		return "", err
	}
	state := sha256.Sum256(fmt.Appendf(nil, "%s %d %d", bin, info.Size(), info.ModTime().UnixNano()))
	kept := filepath.Join(under, hex.EncodeToString(state[:8]))
	if _, err := os.Stat(kept); err == nil {
		return filepath.Join(kept, filepath.Base(bin)), nil
	}
	if err := errors.Join(makePassable(filepath.Dir(under)), makePassable(under)); err != nil {
		return "", fmt.Errorf("copy the PostgreSQL binaries: %w", err)
	}
	half, err := os.MkdirTemp(under, "new-")
	if err != nil {
		return "", fmt.Errorf("copy the PostgreSQL binaries: %w", err)
	}
	defer os.RemoveAll(half)
	if err := os.CopyFS(half, os.DirFS(filepath.Dir(bin))); err != nil {
		return "", fmt.Errorf("copy the PostgreSQL binaries: %w", err)
	}
	if err := makeReadable(half); err != nil {
		return "", fmt.Errorf("copy the PostgreSQL binaries: %w", err)
	}
	if err := os.Rename(half, kept); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("copy the PostgreSQL binaries: %w", err)
	}
	return filepath.Join(kept, filepath.Base(bin)), nil
}

// makeReadable lets every account read and run what is in a folder, whatever umask it was written with.
func makeReadable(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Type() == fs.ModeSymlink {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		mode := info.Mode().Perm() | 0o444
		if d.IsDir() || mode&0o100 != 0 {
			mode |= 0o111
		}
		return os.Chmod(path, mode)
	})
}

// localeArgs have text compared by code point, the same on every machine for ever, and letters known as
// letters in every script, which the parsers of full-text search and trigrams depend on.
func (b binaries) localeArgs() []string {
	letters := "C.UTF-8"
	if runtime.GOOS == "darwin" {
		letters = "en_US.UTF-8"
	}
	args := []string{"--locale=C", "--lc-ctype=" + letters}
	if b.major >= 17 {
		args = append(args, "--locale-provider=builtin", "--builtin-locale=C.UTF-8")
	}
	return args
}
