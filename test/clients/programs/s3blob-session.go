// Go CDK's s3blob. Its program checks what it gets by itself.
package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"runtime/debug"
	"sort"
	"strings"
	"time"

	"gocloud.dev/blob"
	_ "gocloud.dev/blob/s3blob"
	"gocloud.dev/gcerrors"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func expect(holds bool, promise string) {
	if !holds {
		panic("not so: " + promise)
	}
}

func file(variable string) []byte {
	body, err := os.ReadFile(os.Getenv(variable))
	must(err)
	return body
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "gocloud.dev" {
			return strings.TrimPrefix(module.Version, "v")
		}
	}
	return "unknown"
}

func listed(ctx context.Context, bucket *blob.Bucket, options *blob.ListOptions, size int) []string {
	keys := []string{}
	token := blob.FirstPageToken
	for token != nil {
		page, next, err := bucket.ListPage(ctx, token, size, options)
		must(err)
		for _, found := range page {
			keys = append(keys, found.Key)
		}
		token = next
	}
	return keys
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == "version" {
		fmt.Println(version())
		return
	}
	ctx := context.Background()
	small, large := file("VARVE_SMALL"), file("VARVE_LARGE")
	query := url.Values{"endpoint": {os.Getenv("AWS_ENDPOINT_URL")}, "region": {os.Getenv("AWS_REGION")}, "use_path_style": {"true"}}
	bucket, err := blob.OpenBucket(ctx, "s3://"+os.Getenv("VARVE_BUCKET")+"?"+query.Encode())
	must(err)
	defer bucket.Close()
	reachable, err := bucket.IsAccessible(ctx)
	must(err)
	expect(reachable, "the bucket is accessible")

	must(bucket.WriteAll(ctx, "small", small, &blob.WriterOptions{
		ContentType: "text/x-session", CacheControl: "no-cache", Metadata: map[string]string{"colour": "grün"},
	}))
	must(bucket.WriteAll(ctx, "empty", []byte{}, nil))
	must(bucket.Upload(ctx, "large", bytes.NewReader(large), &blob.WriterOptions{ContentType: "application/octet-stream"}))
	for key, wanted := range map[string][]byte{"small": small, "empty": {}, "large": large} {
		found, err := bucket.ReadAll(ctx, key)
		must(err)
		expect(bytes.Equal(found, wanted), key+" is as it was written")
	}
	attributes, err := bucket.Attributes(ctx, "small")
	must(err)
	expect(attributes.ContentType == "text/x-session" && attributes.CacheControl == "no-cache", "the headers are kept")
	expect(attributes.Metadata["colour"] == "grün", "the metadata are kept")

	reader, err := bucket.NewRangeReader(ctx, "large", 1000, 1000, nil)
	must(err)
	part, err := io.ReadAll(reader)
	must(err)
	must(reader.Close())
	expect(bytes.Equal(part, large[1000:2000]), "a range is that of the object")

	once := &blob.WriterOptions{IfNotExist: true}
	must(bucket.WriteAll(ctx, "once", small, once))
	refused := bucket.WriteAll(ctx, "once", []byte("other"), once)
	expect(gcerrors.Code(refused) == gcerrors.FailedPrecondition, fmt.Sprintf("the second creation is refused: %v", refused))
	refused = bucket.Upload(ctx, "large", bytes.NewReader(large[1:]), &blob.WriterOptions{IfNotExist: true, ContentType: "text/x-other"})
	expect(gcerrors.Code(refused) == gcerrors.FailedPrecondition, fmt.Sprintf("so is one in parts: %v", refused))
	_, err = bucket.ReadAll(ctx, "none")
	expect(gcerrors.Code(err) == gcerrors.NotFound, fmt.Sprintf("a missing key is not found: %v", err))

	names := []string{"with space", "a+b", "100%", "a%20b", "ünïcödé", "日本語/🪨", "!*'()", "a&b=c", "#first", "a;b,c@d", "a?b", "../up", "a//b", "\x01"}
	wanted := []string{}
	for _, name := range names {
		must(bucket.WriteAll(ctx, "odd/"+name, []byte(name), nil))
		found, err := bucket.ReadAll(ctx, "odd/"+name)
		must(err)
		expect(string(found) == name, name+" is as it was written")
		wanted = append(wanted, "odd/"+name)
	}
	found := listed(ctx, bucket, &blob.ListOptions{Prefix: "odd/"}, 3)
	sort.Strings(found)
	sort.Strings(wanted)
	expect(strings.Join(found, "\n") == strings.Join(wanted, "\n"), fmt.Sprintf("the odd keys are listed: %q", found))
	folders := listed(ctx, bucket, &blob.ListOptions{Prefix: "odd/日", Delimiter: "/"}, 10)
	expect(len(folders) == 1 && folders[0] == "odd/日本語/", fmt.Sprintf("a folder is one entry: %q", folders))

	must(bucket.Copy(ctx, "odd copy/ü+1", "odd/a+b", nil))
	copied, err := bucket.ReadAll(ctx, "odd copy/ü+1")
	must(err)
	expect(string(copied) == "a+b", "the copy has the bytes")
	for _, key := range wanted {
		must(bucket.Delete(ctx, key))
	}
	expect(len(listed(ctx, bucket, &blob.ListOptions{Prefix: "odd/"}, 10)) == 0, "the odd keys are deleted")

	address, err := bucket.SignedURL(ctx, "large", &blob.SignedURLOptions{Expiry: 5 * time.Minute})
	must(err)
	answer, err := http.Get(address)
	must(err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	must(err)
	expect(answer.StatusCode == 200 && bytes.Equal(body, large), "the signed address gives the object")
}
