"""The SDK session with boto3. Buckets by host name: names under `localhost` lead to this machine, whatever its resolver says."""

import os
import socket
import sys
from urllib.parse import quote, unquote

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import ClientError

if sys.argv[1:] == ["version"]:
    print(boto3.__version__)
    sys.exit(0)

resolve = socket.getaddrinfo
socket.getaddrinfo = lambda host, *rest, **more: resolve("127.0.0.1" if host.endswith(".localhost") else host, *rest, **more)

out, bucket = os.environ["VARVE_OUT"], os.environ["VARVE_BUCKET"]
small, large = (open(os.environ[name], "rb").read() for name in ("VARVE_SMALL", "VARVE_LARGE"))
s3 = boto3.client(
    "s3",
    endpoint_url=os.environ["VARVE_HOSTED_ENDPOINT"],
    config=Config(signature_version="s3v4", s3={"addressing_style": "virtual"}),
)


def put(name, body):
    with open(os.path.join(out, name), "wb") as file:
        file.write(body if isinstance(body, bytes) else body.encode())


def status(ask):
    try:
        ask()
    except ClientError as refused:
        return str(refused.response["ResponseMetadata"]["HTTPStatusCode"])
    return "200"


s3.create_bucket(Bucket=bucket)
s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Enabled"})

first = s3.put_object(Bucket=bucket, Key="kept/small", Body=small, Metadata={"colour": "grün".encode().hex()})
assert s3.head_object(Bucket=bucket, Key="kept/small")["Metadata"]["colour"] == "grün".encode().hex()
s3.put_object(Bucket=bucket, Key="empty", Body=b"")
parts = TransferConfig(multipart_threshold=8 << 20, multipart_chunksize=8 << 20)
s3.upload_file(os.environ["VARVE_LARGE"], bucket, "kept/large", Config=parts)
put("small", s3.get_object(Bucket=bucket, Key="kept/small")["Body"].read())
put("empty", s3.get_object(Bucket=bucket, Key="empty")["Body"].read())
s3.download_file(bucket, "kept/large", os.path.join(out, "large"), Config=parts)
put("range", s3.get_object(Bucket=bucket, Key="kept/large", Range="bytes=1000-1999")["Body"].read())
s3.copy_object(Bucket=bucket, Key="kept/copy", CopySource={"Bucket": bucket, "Key": "kept/small"})

s3.put_object(Bucket=bucket, Key="versions", Body=small)
old = s3.list_object_versions(Bucket=bucket, Prefix="versions")["Versions"][0]["VersionId"]
s3.put_object(Bucket=bucket, Key="versions", Body=b"newer")
s3.delete_object(Bucket=bucket, Key="versions")
put("gone", status(lambda: s3.head_object(Bucket=bucket, Key="versions")))
put("old", s3.get_object(Bucket=bucket, Key="versions", VersionId=old)["Body"].read())


def put_if_absent():
    # Older models have no such parameter.
    if "IfNoneMatch" in s3.meta.service_model.operation_model("PutObject").input_shape.members:
        return s3.put_object(Bucket=bucket, Key="kept/small", Body=b"other", IfNoneMatch="*")
    return s3.get_object(Bucket=bucket, Key="kept/small", IfMatch='"another"')


put("refused", status(put_if_absent))

keys = [unquote(line) for line in open(os.environ["VARVE_KEYS"]).read().split()]
for key in keys:
    s3.put_object(Bucket=bucket, Key="odd/" + key, Body=key.encode())
listed = []
for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix="odd/", PaginationConfig={"PageSize": 7}):
    listed += [found["Key"][len("odd/") :] for found in page["Contents"]]
put("listed", "\n".join(quote(key, safe="") for key in listed))
for at in range(0, len(listed), 1000):
    objects = [{"Key": "odd/" + key} for key in listed[at : at + 1000]]
    assert "Errors" not in s3.delete_objects(Bucket=bucket, Delete={"Objects": objects})

put("url", s3.generate_presigned_url("get_object", Params={"Bucket": bucket, "Key": "kept/large"}))
put("put-url", s3.generate_presigned_url("put_object", Params={"Bucket": bucket, "Key": "kept/presigned"}))
