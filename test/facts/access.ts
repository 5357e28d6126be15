import { type Chapter, clients, http, recorded, seed, shownBy } from './fact.ts'

export const access: Chapter = {
  title: 'Buckets and permissions',
  facts: [
    ...shownBy(recorded('requests'), [
      [
        'a bucket name has 3 to 63 of a-z, 0-9, . and -, no dot beside a dot or -, and is no IP address or reserved name',
        'recorded: s3_uppercase_bucket_name; s3-tests: bucket_create_naming_bad_ip and its kin',
        'a name that S3 refuses is refused, and named',
      ],
      [
        'CreateBucket, HeadBucket and ListBuckets return the ARN of a bucket',
        'recorded: create_bucket_head_bucket, list_buckets_with_max_buckets',
        'creating, heading and listing a bucket return its ARN',
      ],
      [
        'creating a bucket of another account is 409 BucketAlreadyExists; creating one’s own again is 200 in us-east-1 (aws)',
        's3-tests: bucket_create_exists_nonowner; recorded: create_bucket_with_tags_us_east_1_idempotency',
        'a bucket of another account is BucketAlreadyExists; one’s own is answered by the dialect',
      ],
      [
        'creating one’s own bucket again is 409 BucketAlreadyOwnedByYou outside us-east-1',
        'recorded: create_bucket_with_existing_name',
        'one’s own bucket in a region with a name is refused, with its name',
        'aws',
      ],
      [
        'CreateBucket accepts tags; with tags, creating one’s own bucket again fails, even in us-east-1',
        'recorded: create_bucket_with_tags, create_bucket_with_tags_us_east_1_idempotency',
        'a bucket begins with the tags it is sent, and is not made again with tags, be they the same',
      ],
      [
        'a clock more than 15 minutes off is 403 RequestTimeTooSkewed',
        'AWS documentation: error responses',
        'a request 16 minutes from now is refused for its time, and one 14 minutes from now is not',
      ],
      [
        'an expired URL is AccessDenied, “Request has expired”, with X-Amz-Expires, Expires, ServerTime',
        'recorded: s3_presigned_url_expired',
        'a URL that has expired, lacks a parameter or comes with unsigned headers is refused as such',
      ],
      [
        'a missing query parameter is AuthorizationQueryParametersError, with the list of required ones',
        'recorded: s3_put_presigned_url_missing_sig_param',
        'a URL that has expired, lacks a parameter or comes with unsigned headers is refused as such',
      ],
      [
        'unsigned x-amz- headers are AccessDenied with HeadersNotSigned',
        'recorded: put_url_metadata_with_sig_s3v4',
        'a URL that has expired, lacks a parameter or comes with unsigned headers is refused as such',
      ],
      [
        'SignatureDoesNotMatch returns StringToSign and CanonicalRequest',
        'recorded: presigned_url_signature_authentication',
        'a URL that has expired, lacks a parameter or comes with unsigned headers is refused as such',
      ],
    ]),
    ...shownBy(http('buckets/create-bucket'), [
      [
        'when one’s own bucket is created again, the region in the request counts, not the endpoint',
        'recorded: create_bucket_with_existing_name',
        'takes no bucket of another region for a success, wherever the request was sent',
        'aws',
      ],
    ]),
    ...shownBy(http('authentication/verify-request'), [
      [
        'X-Amz-Expires is at most 604,800',
        'AWS documentation: SigV4, query parameters',
        'lives 7 days at most, and not a second longer',
      ],
      ['a signature covers the Host header that was received', 'AWS documentation: SigV4', 'another host'],
    ]),
    ...shownBy(http('sigv2/aws-examples'), [
      [
        'the version 2 signatures that AWS publishes are valid, in headers and in a URL',
        'AWS documentation: signing and authenticating REST requests',
        '$name: the published signature is good',
        'aws',
      ],
    ]),
    ...shownBy(http('sigv2/verify-v2-request'), [
      [
        'a URL signed by version 2 is valid only for the operation it was made for',
        'AWS documentation: signing and authenticating REST requests',
        '$name cannot be made one for another',
        'aws',
      ],
    ]),
    ...shownBy(http('target/parse-target'), [
      [
        'a Host header names a bucket only below a configured host name',
        'AWS documentation: virtual hosting',
        'Host %s leaves the bucket to the path',
      ],
    ]),
    ...shownBy(http('form/policy-document'), [
      ['the policy of a form expires', 'recorded: post_request_expires', 'is good until it expires'],
      [
        'a policy condition eq or starts-with that fails is quoted in the error',
        'recorded: post_object_policy_conditions_validation_eq, post_object_policy_conditions_validation_starts_with',
        'refuses by %j what is %j',
      ],
      [
        'content-length-range takes numbers and strings',
        'recorded: post_object_policy_validation_size',
        'limits the length of the file, in numbers or in quotes, to the narrowest range',
      ],
    ]),
    ...shownBy(http('form/post-object'), [
      ['fields after the file are ignored', 'AWS documentation: POST Object', 'may end in fields that mean nothing'],
      [
        'success_action_status is 200, 201 or 204; any other value means 204',
        's3-tests: post_object_set_success_code, post_object_set_invalid_success_code',
        'is answered with the requested status, if S3 allows it: %s',
      ],
      [
        'success_action_redirect is 303 with bucket, key and etag; an invalid one is ignored',
        's3-tests: post_object_success_redirect_action',
        'sends the browser on to %s',
      ],
      [
        'a form that is not multipart/form-data is 412 PreconditionFailed',
        'recorded: post_object_with_wrong_content_type',
        'is none as %s',
      ],
      [
        'success_action_status 201 returns a document with Location',
        'recorded: post_object_with_unicode_metadata',
        'with status 201 is answered with the location of its object',
      ],
    ]),
    ...shownBy(clients('forms'), [
      [
        '${filename} is replaced by the name of the file',
        'recorded: post_object_with_file_as_string',
        'a page stores a file of many chunks under its own name',
      ],
      [
        'a file that is too long is EntityTooLarge, one that is too short EntityTooSmall',
        'recorded: post_object_policy_validation_size',
        'a file that is longer or shorter than the policy allows is not stored',
      ],
      [
        'a redirect after a form gives the location of the file',
        's3-tests: post_object_success_redirect_action',
        'a page gets the location of its file, or a redirect',
      ],
      [
        'a field that the policy does not allow is refused',
        'recorded: post_object_policy_conditions_validation_eq',
        'a field that the policy does not allow is refused, and so is a changed policy',
      ],
    ]),
    ...shownBy(seed('access'), [
      [
        'DeleteObject does not allow DeleteObjectVersion',
        'AWS documentation: actions of S3',
        'DeleteObject does not grant DeleteObjectVersion',
      ],
      [
        'DeleteObjectVersion does not allow DeleteObject',
        'AWS documentation: actions of S3',
        'DeleteObjectVersion does not grant DeleteObject',
      ],
      [
        'each operation requires its own action; listing versions requires ListBucketVersions',
        'AWS documentation: actions of S3',
        '${operation} is allowed with ${action} and nothing else',
      ],
    ]),
  ],
}

export const traps: Chapter = {
  title: 'Known problems of clients',
  facts: [
    ...shownBy(http('errors/wire-error'), [
      [
        'every error has a message: an empty one crashes aws-cli',
        'seen on the wire: aws-cli v1 and v2',
        'always has a message',
      ],
    ]),
    ...shownBy(clients('aws-copies'), [
      [
        'the newest SDKs send a CRC32 in place of Content-MD5 with DeleteObjects',
        'seen on the wire: AWS SDK for JavaScript v3',
        'the named keys are deleted, missing ones count as deleted, and the rest stay',
      ],
    ]),
    ...shownBy(clients('aws-checksums'), [
      [
        'the JavaScript SDK sends chunks with a CRC32 trailer over plain HTTP too',
        'seen on the wire: AWS SDK for JavaScript v3',
        '${ChecksumAlgorithm} sent ${way} is checked, kept, and validated by the reader',
      ],
    ]),
    ...shownBy(clients('aws-multipart'), [
      [
        'UploadPartCopy of a percent-encoded key copies it',
        'seen elsewhere: servers that crash',
        'parts are copied, whole and in pieces, from any version',
      ],
      [
        'a completion with a part that was never uploaded is InvalidPart',
        'seen elsewhere: servers that crash',
        'what is wrong with a list of parts is named, and the upload can be finished all the same',
      ],
    ]),
    ...shownBy(http('body/decode-aws-chunked'), [
      [
        'signed chunks, with a trailer or without: any changed byte, signature or trailer is refused',
        'seen on the wire: minio-go, mc, Java SDKs',
        '%s: is refused when any byte of it changes',
      ],
      [
        'chunks swapped, dropped, doubled or of another request are refused',
        'seen on the wire: minio-go, mc, Java SDKs',
        'is refused when chunks are swapped, dropped, doubled, or signed after another request',
      ],
    ]),
    ...shownBy(http('sigv4/official-signer'), [
      [
        'paths are signed as they are sent, encoded once, whatever is in a key',
        'seen on the wire: botocore with awscrt and without, AWS’s own signer',
        'are verified by their headers: $path $query',
      ],
    ]),
    ...shownBy(http('sigv4/aws-examples'), [
      [
        'the signature examples that AWS publishes are valid',
        'AWS documentation: SigV4 examples',
        '$name: signs to the published signature and verifies it',
      ],
    ]),
  ],
}
