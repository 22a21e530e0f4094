package pgtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"shop/migrations"
	"shop/migrations/embeddedpg"
)

const (
	// keptPrefix begins the name of a kept cluster's folder.
	keptPrefix = "cluster-"
	// keptFor is how long a cluster of other migrations, of another branch perhaps, is kept unused.
	keptFor = 24 * time.Hour
)

// keptCluster is the folder of the stopped, migrated cluster that copies are made of.
func keptCluster(ctx context.Context, base string) (string, error) {
	name, err := fingerprint()
	if err != nil {
		return "", err
	}
	kept := filepath.Join(base, keptPrefix+name)
	unlock, err := lockFile(filepath.Join(base, "lock"))
	if err != nil {
		return "", err
	}
	defer unlock()
	now := time.Now()
	if os.Chtimes(kept, now, now) == nil {
		return kept, nil
	}
	sweepClusters(base, now)
	half, remove, err := runDirLocked(base)
	if err != nil {
		return "", err
	}
	defer remove()
	opts, err := options(half, settings)
	if err != nil {
		return "", err
	}
	making, err := embeddedpg.Start(ctx, opts)
	if err != nil {
		return "", err
	}
	if err := errors.Join(migrations.Up(ctx, making.URL()), making.Stop(ctx)); err != nil {
		return "", err
	}
	if err := os.Rename(half, kept); err != nil {
		return "", err
	}
	return kept, nil
}

// fingerprint changes with everything that a kept cluster depends on.
func fingerprint() (string, error) {
	bin, err := embeddedpg.FindBinaries(migrations.Embedded(embeddedpg.Options{}))
	if err != nil {
		return "", err
	}
	info, err := os.Stat(filepath.Join(bin, "postgres"))
	if err != nil {
		return "", err
	}
	state, err := migrationsState()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %d %v %s", info.Size(), info.ModTime().UnixNano(), settings, state))
	return hex.EncodeToString(sum[:8]), nil
}

// migrationsState changes with every byte of the migrations.
func migrationsState() (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(migrations.Files(), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(migrations.Files(), path)
		fmt.Fprintf(sum, "%s %d\n%s\n", path, len(text), text)
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)[:8]), err
}

// sweepClusters removes kept clusters that nobody used for long.
func sweepClusters(base string, now time.Time) {
	found, _ := filepath.Glob(filepath.Join(base, keptPrefix+"*"))
	for _, dir := range found {
		if info, err := os.Stat(dir); err == nil && now.Sub(info.ModTime()) > keptFor {
			os.RemoveAll(dir)
		}
	}
}

// copyTree copies a stopped cluster with its owner and modes.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := to + strings.TrimPrefix(path, from)
		info, err := d.Info()
		if err != nil {
			return err
		}
		if d.IsDir() {
			err = os.Mkdir(target, info.Mode().Perm())
		} else {
			err = copyFile(path, target, info.Mode().Perm())
		}
		if err != nil {
			return err
		}
		owner := info.Sys().(*syscall.Stat_t)
		if int(owner.Uid) == os.Geteuid() {
			return nil
		}
		return os.Lchown(target, int(owner.Uid), int(owner.Gid))
	})
}

func copyFile(from, to string, mode fs.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
