import { type Chapter, clients, http, recorded, seed, shownBy } from './fact.ts'

export const access: Chapter = {
  title: 'Buckets and who may',
  facts: [
    ...shownBy(recorded('requests'), [
      [
        'names have 3 to 63 of a-z, 0-9, . and -, no dots side by side or beside -, are no address; nor what S3 reserves',
        'recorded: s3_uppercase_bucket_name; s3-tests: bucket_create_naming_bad_ip and its kin',
        'a name that S3 refuses is refused, and named',
      ],
      [
        'a bucket made, asked after or listed is told by its ARN',
        'recorded: create_bucket_head_bucket, list_buckets_with_max_buckets',
        'a bucket is told its ARN when it is made, asked after and listed',
      ],
      [
        'a bucket of somebody else’s is 409 BucketAlreadyExists; one’s own is 200 in us-east-1 (aws)',
        's3-tests: bucket_create_exists_nonowner; recorded: create_bucket_with_tags_us_east_1_idempotency',
        'a bucket of somebody else’s exists already; one’s own is one’s own, or no error, as the dialect says',
      ],
      [
        'one’s own bucket is 409 BucketAlreadyOwnedByYou elsewhere',
        'recorded: create_bucket_with_existing_name',
        'one’s own bucket in a region with a name is refused, with its name',
        'aws',
      ],
      [
        'a bucket may begin with tags; with tags it is not made again, not even in us-east-1',
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
        'a URL that has expired, or lacks a parameter, or comes with headers nobody signed, is told so',
      ],
      [
        'a parameter that is missing is AuthorizationQueryParametersError with the list of them',
        'recorded: s3_put_presigned_url_missing_sig_param',
        'a URL that has expired, or lacks a parameter, or comes with headers nobody signed, is told so',
      ],
      [
        'x-amz- headers nobody signed are AccessDenied with HeadersNotSigned',
        'recorded: put_url_metadata_with_sig_s3v4',
        'a URL that has expired, or lacks a parameter, or comes with headers nobody signed, is told so',
      ],
      [
        'SignatureDoesNotMatch tells StringToSign and CanonicalRequest',
        'recorded: presigned_url_signature_authentication',
        'a URL that has expired, or lacks a parameter, or comes with headers nobody signed, is told so',
      ],
    ]),
    ...shownBy(http('buckets/create-bucket'), [
      [
        'the region that counts for one’s own bucket is that of the request, wherever it was sent',
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
      ['a signature is of the Host that was received', 'AWS documentation: SigV4', 'another host'],
    ]),
    ...shownBy(http('sigv2/aws-examples'), [
      [
        'the signatures by version 2 that AWS publishes are good, in headers and in a URL',
        'AWS documentation: signing and authenticating REST requests',
        '$name: the published signature is good',
        'aws',
      ],
    ]),
    ...shownBy(http('sigv2/verify-v2-request'), [
      [
        'a URL signed by version 2 is good for the operation it was made for, and for no other',
        'AWS documentation: signing and authenticating REST requests',
        '$name cannot be made one for another',
        'aws',
      ],
    ]),
    ...shownBy(http('target/parse-target'), [
      [
        'a bucket is found in a Host only under the names that are configured',
        'AWS documentation: virtual hosting',
        'Host %s leaves the bucket to the path',
      ],
    ]),
    ...shownBy(http('form/policy-document'), [
      ['the policy of a form expires', 'recorded: post_request_expires', 'is good until it expires'],
      [
        'eq and starts-with hold or are named, to the letter',
        'recorded: post_object_policy_conditions_validation_eq, post_object_policy_conditions_validation_starts_with',
        'refuses by %j what is %j',
      ],
      [
        'content-length-range in numbers or in quotes',
        'recorded: post_object_policy_validation_size',
        'says how long the file may be, in numbers or in quotes, as narrow as all of it',
      ],
    ]),
    ...shownBy(http('form/post-object'), [
      ['fields behind the file mean nothing', 'AWS documentation: POST Object', 'may end in fields that mean nothing'],
      [
        'success_action_status is 200, 201 or 204, and 204 when it is none of them',
        's3-tests: post_object_set_success_code, post_object_set_invalid_success_code',
        'is answered with the status it asks for, where S3 has it: %s',
      ],
      [
        'success_action_redirect is 303 with bucket, key and etag; one that leads nowhere is passed over',
        's3-tests: post_object_success_redirect_action',
        'sends the browser on to %s',
      ],
      [
        'what is no multipart/form-data is 412 PreconditionFailed',
        'recorded: post_object_with_wrong_content_type',
        'is none as %s',
      ],
      [
        'success_action_status 201 answers a document with Location',
        'recorded: post_object_with_unicode_metadata',
        'asked for 201 says where it is',
      ],
    ]),
    ...shownBy(clients('forms'), [
      [
        '${filename} is the name of the file',
        'recorded: post_object_with_file_as_string',
        'a page stores a file of many chunks under its own name',
      ],
      [
        'a file too long is EntityTooLarge, one too short EntityTooSmall',
        'recorded: post_object_policy_validation_size',
        'a file that is longer or shorter than the policy allows is not stored',
      ],
      [
        'a page that is sent on is told where its file is',
        's3-tests: post_object_success_redirect_action',
        'a page learns where its file is, or is sent on',
      ],
      [
        'what the policy does not foresee is refused',
        'recorded: post_object_policy_conditions_validation_eq',
        'what the policy did not foresee is refused, and so is what somebody changed in it',
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
        'each operation asks for its own action, and listing versions for ListBucketVersions',
        'AWS documentation: actions of S3',
        '${operation} is done for who has ${action} and nothing else',
      ],
    ]),
  ],
}

export const traps: Chapter = {
  title: 'What clients trip over',
  facts: [
    ...shownBy(http('errors/error-table'), [
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
        'those named go, those not there count as gone, and the rest stay',
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
        'signed chunks, with a trailer or without: each spoiled byte, signature and trailer is refused',
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
        'the examples AWS publishes verify',
        'AWS documentation: SigV4 examples',
        '$name: signs to the published signature and verifies it',
      ],
    ]),
  ],
}
