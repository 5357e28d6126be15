/**
 * Where the service description and real S3 disagree: the one table. `neutral` follows the description to the letter,
 * `aws` follows what AWS was recorded to answer; everything the description leaves open is the same in both and follows
 * AWS. Code tests a single property (`dialect.versionMarkers`), never the name.
 */

export type DialectName = 'neutral' | 'aws'

/** Signatures that requests and URLs may have: of version 4 alone, or of version 2 too. */
export const signatures = ['v4', 'v2+v4'] as const
/** The versions of the signature that a server takes. */
export type Signatures = (typeof signatures)[number]

/** What a kind of S3 server accepts and answers, where servers differ. */
export interface Dialect {
  readonly name: DialectName
  /**
   * `key-marker` and `version-id-marker` of ListObjectVersions.
   * `at`: the listing starts at them, and the Next… markers name the first entry not returned.
   * `after`: the listing starts after them, and the Next… markers name the last entry returned.
   */
  readonly versionMarkers: 'at' | 'after'
  /** Completing an upload a second time with the same parts: `NoSuchUpload`, or the first answer again. */
  readonly completionRepeat: 'no-such-upload' | 'same-answer'
  /** The delete-marker header of deletes in versioned buckets: with `true` and `false` alike, or only when `true`. */
  readonly deleteMarkerHeader: 'always' | 'when-true'
  /** The code for creating a bucket that the requester owns already. */
  readonly ownBucketAgain: 'BucketAlreadyExists' | 'BucketAlreadyOwnedByYou'
  /** A region where creating one's own bucket again is no error but 200; `undefined` when there is none. */
  readonly ownBucketAgainSucceedsIn: string | undefined
  /** CompleteMultipartUpload sent as `application/x-www-form-urlencoded`: 400, or read as the XML it is. */
  readonly formUrlencodedCompletion: 'refused' | 'accepted'
  /** A part number listed twice in a row by a completion: out of order, or the last of them counts. */
  readonly repeatedPartNumber: 'out-of-order' | 'last-counts'
  /** `Expect` with anything but `100-continue`: 417, or as if it were not there. */
  readonly otherExpectations: 'refused' | 'passed-over'
  /** Chunks of an aws-chunked body, other than the last, below 8 KiB: up to 1,000 of them, or none. */
  readonly smallChunks: 'accepted' | 'refused'
  /** GetObjectTorrent: an operation that is not built, or one that finds no torrent of any object. */
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
  /** Signatures taken, unless configured. Forms may be signed by either in any case. */
  readonly signatures: Signatures
}

/** A line of the table as people read it. */
export interface DialectPoint {
  readonly fields: readonly Exclude<keyof Dialect, 'name'>[]
  readonly point: string
  readonly neutral: string
  readonly aws: string
  /** Where both sides come from. */
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

/** Every point once, in the order the operations are described. Documentation is made from it. */
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
    point: 'a part number listed twice in a row by a completion',
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
