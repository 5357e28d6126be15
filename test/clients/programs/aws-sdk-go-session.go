// The SDK session with the AWS SDK for Go v2. Buckets by host name, all of which lead to this machine.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/feature/s3/manager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
)

var (
	background = context.Background()
	bucket     = aws.String(os.Getenv("VARVE_BUCKET"))
	out        = os.Getenv("VARVE_OUT")
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == "version" {
		fmt.Println(version())
		return
	}
	endpoint := must(url.Parse(os.Getenv("VARVE_HOSTED_ENDPOINT")))
	client := s3.New(s3.Options{
		Region:       os.Getenv("AWS_REGION"),
		BaseEndpoint: aws.String(endpoint.String()),
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{
				AccessKeyID:     os.Getenv("AWS_ACCESS_KEY_ID"),
				SecretAccessKey: os.Getenv("AWS_SECRET_ACCESS_KEY"),
			}, nil
		}),
		HTTPClient: awshttp.NewBuildableClient().WithTransportOptions(func(transport *http.Transport) {
			transport.DialContext = func(within context.Context, network, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(within, network, "127.0.0.1:"+endpoint.Port())
			}
		}),
	})
	objects(client)
	versions(client)
	oddKeys(client)
	presigned(client)
}

func objects(client *s3.Client) {
	small := must(os.ReadFile(os.Getenv("VARVE_SMALL")))
	must(client.CreateBucket(background, &s3.CreateBucketInput{Bucket: bucket}))
	store(client, "kept/small", small)
	store(client, "empty", nil)
	large := must(os.Open(os.Getenv("VARVE_LARGE")))
	uploader := manager.NewUploader(client)
	must(uploader.Upload(background, &s3.PutObjectInput{Bucket: bucket, Key: aws.String("kept/large"), Body: large}))
	put("small", load(client, &s3.GetObjectInput{Key: aws.String("kept/small")}))
	put("empty", load(client, &s3.GetObjectInput{Key: aws.String("empty")}))
	file := must(os.Create(filepath.Join(out, "large")))
	downloader := manager.NewDownloader(client)
	must(downloader.Download(background, file, &s3.GetObjectInput{Bucket: bucket, Key: aws.String("kept/large")}))
	put("range", load(client, &s3.GetObjectInput{Key: aws.String("kept/large"), Range: aws.String("bytes=1000-1999")}))
	must(client.CopyObject(background, &s3.CopyObjectInput{
		Bucket: bucket, Key: aws.String("kept/copy"), CopySource: aws.String(*bucket + "/kept/small"),
	}))
	_, err := client.PutObject(background, &s3.PutObjectInput{
		Bucket: bucket, Key: aws.String("kept/small"), Body: strings.NewReader("other"), IfNoneMatch: aws.String("*"),
	})
	put("refused", status(err))
}

func versions(client *s3.Client) {
	must(client.PutBucketVersioning(background, &s3.PutBucketVersioningInput{
		Bucket:                  bucket,
		VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled},
	}))
	key := aws.String("versions")
	store(client, *key, must(os.ReadFile(os.Getenv("VARVE_SMALL"))))
	found := must(client.ListObjectVersions(background, &s3.ListObjectVersionsInput{Bucket: bucket, Prefix: key}))
	store(client, *key, []byte("newer"))
	must(client.DeleteObject(background, &s3.DeleteObjectInput{Bucket: bucket, Key: key}))
	_, err := client.HeadObject(background, &s3.HeadObjectInput{Bucket: bucket, Key: key})
	put("gone", status(err))
	put("old", load(client, &s3.GetObjectInput{Key: key, VersionId: found.Versions[0].VersionId}))
}

func oddKeys(client *s3.Client) {
	for _, line := range strings.Split(string(must(os.ReadFile(os.Getenv("VARVE_KEYS")))), "\n") {
		key := must(url.PathUnescape(line))
		store(client, "odd/"+key, []byte(key))
	}
	var listed []string
	var doomed []types.ObjectIdentifier
	pages := s3.NewListObjectsV2Paginator(client, &s3.ListObjectsV2Input{
		Bucket: bucket, Prefix: aws.String("odd/"), MaxKeys: aws.Int32(7),
	})
	for pages.HasMorePages() {
		for _, one := range must(pages.NextPage(background)).Contents {
			listed = append(listed, url.PathEscape(strings.TrimPrefix(*one.Key, "odd/")))
			doomed = append(doomed, types.ObjectIdentifier{Key: one.Key})
		}
	}
	put("listed", []byte(strings.Join(listed, "\n")))
	deleted := must(client.DeleteObjects(background, &s3.DeleteObjectsInput{
		Bucket: bucket, Delete: &types.Delete{Objects: doomed},
	}))
	if len(deleted.Errors) > 0 {
		panic(*deleted.Errors[0].Code)
	}
}

func presigned(client *s3.Client) {
	signer := s3.NewPresignClient(client)
	get := must(signer.PresignGetObject(background, &s3.GetObjectInput{Bucket: bucket, Key: aws.String("kept/large")}))
	put("url", []byte(get.URL))
	upload := must(signer.PresignPutObject(background, &s3.PutObjectInput{Bucket: bucket, Key: aws.String("kept/presigned")}))
	put("put-url", []byte(upload.URL))
}

func store(client *s3.Client, key string, body []byte) {
	must(client.PutObject(background, &s3.PutObjectInput{Bucket: bucket, Key: aws.String(key), Body: bytes.NewReader(body)}))
}

func load(client *s3.Client, input *s3.GetObjectInput) []byte {
	input.Bucket = bucket
	return must(io.ReadAll(must(client.GetObject(background, input)).Body))
}

func status(err error) []byte {
	var refused *awshttp.ResponseError
	if errors.As(err, &refused) {
		return []byte(fmt.Sprint(refused.HTTPStatusCode()))
	}
	return []byte(fmt.Sprint(err))
}

func put(name string, body []byte) {
	if err := os.WriteFile(filepath.Join(out, name), body, 0o600); err != nil {
		panic(err)
	}
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, module := range info.Deps {
		if module.Path == "github.com/aws/aws-sdk-go-v2/service/s3" {
			return "service/s3 " + strings.TrimPrefix(module.Version, "v")
		}
	}
	return "unknown"
}
