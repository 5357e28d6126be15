import { type Chapter, clients, http, recorded, shownBy } from './fact.ts'

export const portable: Chapter = {
  title: 'Clients that support several clouds',
  facts: [
    ...shownBy(recorded('go-cloud'), [
      [
        'ListObjects and ListObjectsV2 return x-amz-bucket-region',
        'recorded: go-cloud s3blob TestList',
        'listings of objects name the region of the bucket',
      ],
      [
        'a common prefix is listed once, on one page, whatever sorts before the delimiter',
        'recorded: go-cloud s3blob TestDirsWithCharactersBeforeDelimiter',
        'a prefix stands once in pages of any size, whatever comes before the delimiter',
      ],
      [
        'an empty Content-Type is kept and returned; without the header it is binary/octet-stream',
        'recorded: go-cloud s3blob TestWrite/ContentType_is_left_empty, TestSignedURL',
        'an empty content type stays empty, and none at all is binary/octet-stream',
      ],
      [
        'percent signs in names and values of metadata are kept: nothing is decoded',
        'recorded: go-cloud s3blob TestMetadata/weird_metadata_keys',
        'names and values of metadata keep their percent signs',
      ],
      [
        'the slash after the bucket of x-amz-copy-source may be %2F; the error for a missing source has the key of the source',
        'recorded: go-cloud s3blob TestKeys, TestCopy/NonExistentSourceFails',
        'the source of a copy may be encoded as a whole, the slash behind its bucket too',
      ],
      [
        'a presigned URL used with another method is SignatureDoesNotMatch with the CanonicalRequest of that method; unsigned it is AccessDenied',
        'recorded: go-cloud s3blob TestSignedURL',
        'a URL is good for the method it was signed for, and without its query for none',
      ],
      [
        'X-Amz-Checksum-Mode in the query of a presigned URL shows no checksum; the header does',
        'recorded: go-cloud s3blob TestKeys, TestSignedURL',
        'a URL that requests checksums is answered without them',
      ],
    ]),
    ...shownBy(http('object-operations/attributes-in'), [
      [
        'GetObjectAttributes without attributes is InvalidRequest, with an unknown one InvalidArgument',
        'seen on the wire: versitygw#915, versitygw#1000',
        'refuses a request that names no attribute',
      ],
    ]),
    ...shownBy(clients('websites'), [
      [
        'a website protocol other than http and https is InvalidRequest',
        'versitygw: PutBucketWebsite_invalid_redirect_protocol',
        'what could not be served is refused',
      ],
    ]),
  ],
}
