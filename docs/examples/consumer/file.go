package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"sync"
)

// line is what one message gave, and how far its range is after it.
type line struct {
	Range string `json:"range"`
	place
	Orders []order `json:"orders,omitempty"`
}

type order struct {
	ID     string `json:"id"`
	Stream string `json:"stream"`
	Number int64  `json:"number"`
	At     string `json:"at"`
}

// file is the result: lines that are written whole or not at all.
type file struct {
	mu     sync.Mutex
	to     *os.File
	places map[string]place
}

// open reads how far the consumer has come. A last line that was cut off by a kill is removed.
func open(path string) (*file, error) {
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	whole := text[:bytes.LastIndexByte(text, '\n')+1]
	f := &file{places: map[string]place{}}
	for l := range bytes.Lines(whole) {
		var read line
		if err := json.Unmarshal(l, &read); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		f.places[read.Range] = read.place
	}
	if f.to, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600); err != nil {
		return nil, err
	}
	if err := f.to.Truncate(int64(len(whole))); err != nil {
		return nil, err
	}
	_, err = f.to.Seek(int64(len(whole)), 0)
	return f, err
}

func (f *file) Close() { _ = f.to.Close() }

func (f *file) place(rng string) place {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.places[rng]
}

// write returns when the line is on the disk.
func (f *file) write(l line) error {
	text, err := json.Marshal(l)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.to.Write(append(text, '\n')); err != nil {
		return err
	}
	if err := f.to.Sync(); err != nil {
		return err
	}
	f.places[l.Range] = l.place
	return nil
}
