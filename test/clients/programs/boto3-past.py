"""The session that looks back, with boto3. Names under `localhost` lead to this machine, whatever its resolver says."""

import os
import socket
from urllib.parse import quote

import boto3
from boto3.s3.transfer import TransferConfig
from botocore.config import Config
from botocore.exceptions import ClientError

resolve = socket.getaddrinfo
socket.getaddrinfo = lambda host, *rest, **more: resolve("127.0.0.1" if host.endswith(".localhost") else host, *rest, **more)

out, bucket = os.environ["VARVE_OUT"], os.environ["VARVE_BUCKET"]
s3 = boto3.client("s3", endpoint_url=os.environ["VARVE_HOSTED_ENDPOINT"], config=Config(signature_version="s3v4"))
parts = TransferConfig(multipart_threshold=8 << 20, multipart_chunksize=8 << 20)


def outcome(ask):
    try:
        ask()
    except ClientError as refused:
        return f"{refused.response['ResponseMetadata']['HTTPStatusCode']} {refused.response['Error']['Code']}"
    except Exception as refused:
        return f"{type(refused).__name__}: {refused}"
    return "200"


for index, past in enumerate(os.environ["VARVE_PAST"].split()):

    def put(name, body):
        path = os.path.join(out, str(index), name)
        with open(path, "wb") as file:
            file.write(body if isinstance(body, bytes) else body.encode())

    listed = []
    for page in s3.get_paginator("list_objects_v2").paginate(Bucket=past, Prefix="tree/", PaginationConfig={"PageSize": 7}):
        listed += [found["Key"] for found in page["Contents"]]
    put("listed", "\n".join(quote(key, safe="") for key in listed))
    for key in listed:
        path = os.path.join(out, str(index), key)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        s3.download_file(past, key, path, Config=parts)
    put("range", s3.get_object(Bucket=past, Key="tree/large", Range="bytes=1000-1999")["Body"].read())
    put("length", str(s3.head_object(Bucket=past, Key="tree/large")["ContentLength"]))
    put("url", s3.generate_presigned_url("get_object", Params={"Bucket": past, "Key": "tree/large"}))
    source = {"Bucket": past, "Key": "tree/large"}
    refused = [
        lambda: s3.put_object(Bucket=past, Key="new", Body=b"x"),
        lambda: s3.delete_object(Bucket=past, Key="tree/large"),
        lambda: s3.copy_object(Bucket=past, Key="new", CopySource=source),
        lambda: s3.create_multipart_upload(Bucket=past, Key="new"),
        lambda: s3.delete_objects(Bucket=past, Delete={"Objects": [{"Key": "tree/large"}]}),
    ]
    put("refused", "\n".join(outcome(ask) for ask in refused))
    s3.copy_object(Bucket=bucket, Key=f"back/{index}/large", CopySource=source)
    s3.copy_object(Bucket=bucket, Key=f"back/{index}/small", CopySource={"Bucket": past, "Key": "tree/sub/small"})

long = [outcome(lambda: s3.get_object(Bucket=name, Key="k")) for name in os.environ["VARVE_LONG"].split()]
with open(os.path.join(out, "long"), "w") as file:
    file.write("\n".join(line.replace("\n", " ") for line in long))
