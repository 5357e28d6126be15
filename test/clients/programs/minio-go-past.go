// The session that looks back, with minio-go.
package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

var (
	background = context.Background()
	bucket     = os.Getenv("VARVE_BUCKET")
	out        = os.Getenv("VARVE_OUT")
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "version" {
		fmt.Println(version())
		return
	}
	endpoint := must(url.Parse(os.Getenv("AWS_ENDPOINT_URL")))
	client := must(minio.New(endpoint.Host, &minio.Options{
		Creds:  credentials.NewStaticV4(os.Getenv("AWS_ACCESS_KEY_ID"), os.Getenv("AWS_SECRET_ACCESS_KEY"), ""),
		Region: os.Getenv("AWS_REGION"),
	}))
	for index, past := range strings.Fields(os.Getenv("VARVE_PAST")) {
		lookBack(client, past, fmt.Sprint(index))
	}
	var long []string
	for _, name := range strings.Fields(os.Getenv("VARVE_LONG")) {
		_, err := client.StatObject(background, name, "k", minio.StatObjectOptions{})
		long = append(long, outcome(err))
	}
	put("", "long", []byte(strings.Join(long, "\n")))
}

func lookBack(client *minio.Client, past string, index string) {
	var listed []string
	for one := range client.ListObjects(background, past, minio.ListObjectsOptions{Prefix: "tree/", Recursive: true, MaxKeys: 7}) {
		if one.Err != nil {
			panic(one.Err)
		}
		listed = append(listed, url.PathEscape(one.Key))
		file := filepath.Join(out, index, one.Key)
		done(client.FGetObject(background, past, one.Key, file, minio.GetObjectOptions{}))
	}
	put(index, "listed", []byte(strings.Join(listed, "\n")))
	large := "tree/large"
	var part minio.GetObjectOptions
	done(part.SetRange(1000, 1999))
	put(index, "range", must(io.ReadAll(must(client.GetObject(background, past, large, part)))))
	put(index, "length", []byte(fmt.Sprint(must(client.StatObject(background, past, large, minio.StatObjectOptions{})).Size)))
	put(index, "url", []byte(must(client.PresignedGetObject(background, past, large, time.Hour, nil)).String()))
	put(index, "refused", []byte(strings.Join(refused(client, past), "\n")))
	for name, source := range map[string]string{"large": large, "small": "tree/sub/small"} {
		must(client.CopyObject(
			background,
			minio.CopyDestOptions{Bucket: bucket, Object: "back/" + index + "/" + name},
			minio.CopySrcOptions{Bucket: past, Object: source},
		))
	}
}

func refused(client *minio.Client, past string) []string {
	core := minio.Core{Client: client}
	_, put := client.PutObject(background, past, "new", strings.NewReader("x"), 1, minio.PutObjectOptions{})
	_, copied := client.CopyObject(
		background,
		minio.CopyDestOptions{Bucket: past, Object: "new"},
		minio.CopySrcOptions{Bucket: past, Object: "tree/large"},
	)
	_, started := core.NewMultipartUpload(background, past, "new", minio.PutObjectOptions{})
	removed := client.RemoveObject(background, past, "tree/large", minio.RemoveObjectOptions{})
	return []string{outcome(put), outcome(copied), outcome(started), outcome(removed)}
}

func outcome(err error) string {
	if err == nil {
		return "200"
	}
	// What it refuses by itself looks like an answer without the id of a request.
	if answer := minio.ToErrorResponse(err); answer.RequestID != "" && answer.RequestID != "minio" {
		return fmt.Sprintf("%d %s", answer.StatusCode, answer.Code)
	}
	return err.Error()
}

func put(index string, name string, body []byte) {
	done(os.WriteFile(filepath.Join(out, index, name), body, 0o600))
}

func done(err error) {
	if err != nil {
		panic(err)
	}
}

func must[T any](value T, err error) T {
	done(err)
	return value
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "github.com/minio/minio-go/v7" {
			return strings.TrimPrefix(module.Version, "v")
		}
	}
	return "unknown"
}
