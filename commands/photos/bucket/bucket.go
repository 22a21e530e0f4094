package bucket

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// Bucket is photos.Place in a bucket.
type Bucket struct {
	client *minio.Client
	name   string
	prefix string
}

const (
	// marker is the object that says whose photos these are.
	marker = ".shop"
	// digest is the metadata that holds an object's SHA-256.
	digest = "Sha256"
	// maxBytes bounds an object that is read; photos are far smaller.
	maxBytes = 64 << 20
	// answersWithin bounds one request.
	answersWithin = 30 * time.Second
)

// Open understands s3://bucket/prefix?endpoint=https://…&region=…; it asks nobody.
func Open(at, key, secret string) (*Bucket, error) {
	u, err := url.Parse(at)
	if err != nil || u.Scheme != "s3" || u.Host == "" || u.User != nil {
		return nil, errors.New("want s3://bucket/prefix?endpoint=https://host")
	}
	query := u.Query()
	endpoint, err := url.Parse(query.Get("endpoint"))
	if err != nil || endpoint.Scheme != "https" && endpoint.Scheme != "http" || endpoint.Host == "" || strings.Trim(endpoint.Path, "/") != "" {
		return nil, errors.New("endpoint in the address: want https://host, such as https://s3.eu-central-1.amazonaws.com")
	}
	if endpoint.Scheme == "http" && !loopback(endpoint.Hostname()) {
		return nil, errors.New("endpoint in the address: want https, or the secret and the photos could be read on the way")
	}
	if key == "" || secret == "" {
		return nil, errors.New("needs SHOP_BLOBS_KEY and SHOP_BLOBS_SECRET")
	}
	transport, err := minio.DefaultTransport(endpoint.Scheme == "https")
	if err != nil {
		return nil, err
	}
	transport.ResponseHeaderTimeout = answersWithin
	client, err := minio.New(endpoint.Host, &minio.Options{
		Creds: credentials.NewStaticV4(key, secret, ""), Secure: endpoint.Scheme == "https", Region: query.Get("region"), Transport: transport, MaxRetries: 3,
	})
	if err != nil {
		return nil, fmt.Errorf("prepare requests to S3: %w", err)
	}
	return &Bucket{client: client, name: u.Host, prefix: strings.Trim(u.Path, "/")}, nil
}

func loopback(host string) bool { return host == "localhost" || host == "127.0.0.1" || host == "::1" }

func (b *Bucket) String() string { return "s3://" + path.Join(b.name, b.prefix) }

func (b *Bucket) at(name string) string { return path.Join(b.prefix, name) }

// missing turns what S3 calls a missing object into fs.ErrNotExist.
func missing(err error) error {
	if answer := minio.ToErrorResponse(err); answer.Code == minio.NoSuchKey || answer.StatusCode == http.StatusNotFound && answer.Code != minio.NoSuchBucket {
		return fs.ErrNotExist
	}
	return err
}

func sum(content []byte) string {
	d := sha256.Sum256(content)
	return hex.EncodeToString(d[:])
}

// Put writes an object whole, with its checksum; S3 compares what it got with the MD5 that is sent along.
func (b *Bucket) Put(ctx context.Context, name string, content []byte) error {
	ctx, cancel := context.WithTimeout(ctx, answersWithin)
	defer cancel()
	_, err := b.client.PutObject(ctx, b.name, b.at(name), bytes.NewReader(content), int64(len(content)), minio.PutObjectOptions{
		ContentType: mime.TypeByExtension(path.Ext(name)), UserMetadata: map[string]string{digest: sum(content)},
		SendContentMd5: true, DisableMultipart: true,
	})
	if err != nil {
		return fmt.Errorf("put blob %s: %w", name, err)
	}
	return nil
}

type reader struct{ *bytes.Reader }

func (reader) Close() error { return nil }

// Open reads an object and compares it with its checksum.
func (b *Bucket) Open(ctx context.Context, name string) (io.ReadSeekCloser, error) {
	ctx, cancel := context.WithTimeout(ctx, answersWithin)
	defer cancel()
	object, err := b.client.GetObject(ctx, b.name, b.at(name), minio.GetObjectOptions{})
	if err != nil {
		return nil, fmt.Errorf("open blob %s: %w", name, missing(err))
	}
	defer object.Close()
	content, err := io.ReadAll(io.LimitReader(object, maxBytes))
	if err != nil {
		return nil, fmt.Errorf("open blob %s: %w", name, missing(err))
	}
	info, err := object.Stat()
	if err != nil {
		return nil, fmt.Errorf("open blob %s: %w", name, missing(err))
	}
	if said := info.UserMetadata[digest]; said != sum(content) {
		return nil, fmt.Errorf("open blob %s: its checksum is %s, not %q as when it was written", name, sum(content), said)
	}
	return reader{bytes.NewReader(content)}, nil
}

// Delete removes an object.
func (b *Bucket) Delete(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, answersWithin)
	defer cancel()
	if err := b.client.RemoveObject(ctx, b.name, b.at(name), minio.RemoveObjectOptions{}); err != nil && !errors.Is(missing(err), fs.ErrNotExist) {
		return fmt.Errorf("delete blob %s: %w", name, err)
	}
	return nil
}

// Has is whether there is an object with the name.
func (b *Bucket) Has(ctx context.Context, name string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, answersWithin)
	defer cancel()
	_, err := b.client.StatObject(ctx, b.name, b.at(name), minio.StatObjectOptions{})
	if err = missing(err); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for blob %s: %w", name, err)
	}
	return true, nil
}

// Each calls do with every name but the mark's.
func (b *Bucket) Each(ctx context.Context, do func(name string) error) error {
	under := b.prefix
	if under != "" {
		under += "/"
	}
	for object := range b.client.ListObjectsIter(ctx, b.name, minio.ListObjectsOptions{Prefix: under, Recursive: true}) {
		if object.Err != nil {
			return fmt.Errorf("list blobs: %w", object.Err)
		}
		name := strings.TrimPrefix(object.Key, under)
		if name == marker || strings.Contains(name, "/") {
			continue
		}
		if err := do(name); err != nil {
			return err
		}
	}
	return nil
}

// Mark is whose photos these are; empty: it does not say.
func (b *Bucket) Mark(ctx context.Context) (string, error) {
	file, err := b.Open(ctx, marker)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(file)
	return strings.TrimSpace(string(text)), err
}

// SetMark says whose photos these are.
func (b *Bucket) SetMark(ctx context.Context, shop string) error {
	return b.Put(ctx, marker, []byte(shop+"\n"))
}
