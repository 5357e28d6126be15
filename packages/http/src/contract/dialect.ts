/**
 * The points where the service description and real S3 disagree. `neutral` follows the description to the letter; `aws`
 * follows recorded answers of AWS. Where the description leaves something open, both follow AWS. Code tests a single
 * property (`dialect.versionMarkers`), never the name.
 */

export type DialectName = 'neutral' | 'aws'

/** Accepted signatures of requests and URLs: version 4 alone, or version 2 too. */
export const signatures = ['v4', 'v2+v4'] as const
/** The versions of signatures that a server accepts. */
export type Signatures = (typeof signatures)[number]

/** What an S3 server accepts and answers, where servers differ. */
export interface Dialect {
  readonly name: DialectName
  /**
   * `key-marker` and `version-id-marker` of ListObjectVersions.
   * `at`: the listing starts at them, and the Next… markers name the first entry not returned.
   * `after`: the listing starts after them, and the Next… markers name the last entry returned.
   */
  readonly versionMarkers: 'at' | 'after'
  /** Completing an upload again with the same parts: `NoSuchUpload`, or the first answer again. */
  readonly completionRepeat: 'no-such-upload' | 'same-answer'
  /** The delete-marker header of deletes in versioned buckets: always, or only when it is `true`. */
  readonly deleteMarkerHeader: 'always' | 'when-true'
  /** The error code for creating a bucket that the requester already owns. */
  readonly ownBucketAgain: 'BucketAlreadyExists' | 'BucketAlreadyOwnedByYou'
  /** The region where creating one's own bucket again succeeds with 200; `undefined` for none. */
  readonly ownBucketAgainSucceedsIn: string | undefined
  /** A CompleteMultipartUpload sent as `application/x-www-form-urlencoded`: refused with 400, or read as XML. */
  readonly formUrlencodedCompletion: 'refused' | 'accepted'
  /** A part number that a completion lists twice in a row, with two ETags: an order error, or the last entry counts. */
  readonly repeatedPartNumber: 'out-of-order' | 'last-counts'
  /** An `Expect` other than `100-continue`: 417, or ignored. */
  readonly otherExpectations: 'refused' | 'passed-over'
  /** Chunks of an aws-chunked body below 8 KiB, other than the last: accept up to 1,000 of them, or none. */
  readonly smallChunks: 'accepted' | 'refused'
  /** GetObjectTorrent: an operation that is not built, or one that never finds a torrent. */
  readonly torrents: 'not-implemented' | 'never-there'
  /** The region when none is configured. */
  readonly defaultRegion: string
  /** The region that GetBucketLocation shows as an empty element; `undefined` when every region is shown by name. */
  readonly unnamedRegion: string | undefined
  /**
   * `Location` of CreateBucket. `path`: always `/` and the bucket.
   * `host-if-constrained`: `http://bucket.host/` when the request held a LocationConstraint, else the path.
   */
  readonly createdLocation: 'path' | 'host-if-constrained'
  /** Accepted signatures, unless configured. Forms may always be signed by either version. */
  readonly signatures: Signatures
}

/** A line of the table of dialects, for documentation. */
export interface DialectPoint {
  readonly fields: readonly Exclude<keyof Dialect, 'name'>[]
  readonly point: string
  readonly neutral: string
  readonly aws: string
  /** The sources of both behaviours. */
  readonly source: string
}

/** Every dialect by its name. */
export const dialects: Readonly<Record<DialectName, Dialect>> = {
  neutral: {
    name: 'neutral',
    versionMarkers: 'at',
    completionRepeat: 'no-such-upload',
    deleteMarkerHeader: 'always',
    ownBucketAgain: 'BucketAlreadyExists',
    ownBucketAgainSucceedsIn: undefined,
    formUrlencodedCompletion: 'refused',
    repeatedPartNumber: 'out-of-order',
    otherExpectations: 'refused',
    smallChunks: 'accepted',
    torrents: 'not-implemented',
    defaultRegion: 'eu',
    unnamedRegion: undefined,
    createdLocation: 'path',
    signatures: 'v4',
  },
  aws: {
    name: 'aws',
    versionMarkers: 'after',
    completionRepeat: 'same-answer',
    deleteMarkerHeader: 'when-true',
    ownBucketAgain: 'BucketAlreadyOwnedByYou',
    ownBucketAgainSucceedsIn: 'us-east-1',
    formUrlencodedCompletion: 'accepted',
    repeatedPartNumber: 'last-counts',
    otherExpectations: 'passed-over',
    smallChunks: 'refused',
    torrents: 'never-there',
    defaultRegion: 'us-east-1',
    unnamedRegion: 'us-east-1',
    createdLocation: 'host-if-constrained',
    signatures: 'v2+v4',
  },
}

/** Every point once, in the order in which the operations are described. The documentation is generated from it. */
export const dialectTable: readonly DialectPoint[] = [
  {
    fields: ['ownBucketAgain', 'ownBucketAgainSucceedsIn'],
    point: 'creating one’s own bucket again',
    neutral: '409 `BucketAlreadyExists`',
    aws: '409 `BucketAlreadyOwnedByYou`; 200 in us-east-1',
    source: 'description: CreateBucket; AWS: recorded, creating an existing name',
  },
  {
    fields: ['createdLocation'],
    point: '`Location` header of CreateBucket',
    neutral: '`/` and the bucket',
    aws: 'the same, but `http://bucket.host/` when a LocationConstraint was sent',
    source: 'description: CreateBucket; AWS: recorded, creating and heading a bucket',
  },
  {
    fields: [],
    point: 'a `LocationConstraint` equal to the server’s region',
    neutral: 'accepted',
    aws: 'accepted, us-east-1 too; AWS refuses us-east-1 by name, but many clients send it to every custom endpoint',
    source: 'description: CreateBucket; clients: aws-sdk for JavaScript v2, s3mini',
  },
  {
    fields: ['signatures'],
    point: 'signatures of requests and URLs',
    neutral: 'version 4 alone, unless configured',
    aws: 'versions 2 and 4, unless configured',
    source: 'description: authentication; AWS: what boto3 and the AWS CLI sign URLs with',
  },
  {
    fields: ['defaultRegion', 'unnamedRegion'],
    point: 'region',
    neutral: '`eu` unless configured, always shown by name',
    aws: 'as configured, else us-east-1, which GetBucketLocation shows as an empty element',
    source: 'description: GetBucketLocation; AWS: recorded, location constraints',
  },
  {
    fields: ['versionMarkers'],
    point: '`key-marker`, `version-id-marker`',
    neutral: 'listing starts at them; Next… markers are the first entry not returned',
    aws: 'listing starts after them; Next… markers are the last entry returned',
    source: 'description: ListObjectVersions; AWS: recorded, version listing markers',
  },
  {
    fields: ['deleteMarkerHeader'],
    point: '`…-delete-marker` header',
    neutral: '`true` or `false` on deletes in versioned buckets',
    aws: 'only when `true`',
    source: 'description: DeleteObject; AWS: recorded, deleting a versioned object',
  },
  {
    fields: ['completionRepeat'],
    point: 'completing an upload twice',
    neutral: '404 `NoSuchUpload`',
    aws: 'the same 200 again, when the parts are the same',
    source: 'description: states of a multipart upload; AWS: seen by public conformance tests',
  },
  {
    fields: ['formUrlencodedCompletion'],
    point: 'completion sent as `application/x-www-form-urlencoded`',
    neutral: 'refused, 400',
    aws: 'accepted',
    source: 'description: CompleteMultipartUpload; AWS: what its clients send',
  },
  {
    fields: ['repeatedPartNumber'],
    point: 'a part number that a completion lists twice in a row, with two ETags',
    neutral: '400 `InvalidPartOrder`',
    aws: 'the last of them counts',
    source: 'description: ascending part-number order; AWS: seen by public conformance tests',
  },
  {
    fields: ['otherExpectations'],
    point: '`Expect` with anything but `100-continue`',
    neutral: '417, and the connection ends',
    aws: 'passed over, as HTTP lets a server do',
    source: 'RFC 9110, 10.1.1; AWS: seen by public conformance tests',
  },
  {
    fields: ['smallChunks'],
    point: 'chunks below 8 KiB before the last of an aws-chunked body',
    neutral: 'accepted, up to 1,000 of them; then 400 `InvalidChunkSizeError`',
    aws: '400 `InvalidChunkSizeError`',
    source: 'description: no minimum; AWS: documented, its error codes',
  },
  {
    fields: ['torrents'],
    point: 'GetObjectTorrent',
    neutral: '501 `NotImplemented`',
    aws: '404 `NoSuchKey`: S3 has ended torrents',
    source: 'description: no such operation; AWS: seen by public conformance tests',
  },
]
