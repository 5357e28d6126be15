/** A request for every operation of the table, as a client sends it. */
import { createHash } from 'node:crypto'

export interface Sketch {
  /** Method and target. */
  readonly line: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export interface Scene {
  /** Of an upload under way to `box/up`, with one part. */
  readonly uploadId: string
  readonly etag: string
  /** A position at which everything was there. */
  readonly at: number
}

const document = (line: string, body: string): Sketch => ({
  line,
  headers: { 'content-md5': createHash('md5').update(body).digest('base64') },
  body,
})

const setting = (query: string, body: string): readonly Sketch[] => [
  { line: `GET /box?${query}` },
  document(`PUT /box?${query}`, body),
]
const removable = (query: string, body: string): readonly Sketch[] => [
  ...setting(query, body),
  { line: `DELETE /box?${query}` },
]

const everybodyReads =
  '<Grant><Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="Group">' +
  '<URI>http://acs.amazonaws.com/groups/global/AllUsers</URI></Grantee><Permission>READ</Permission></Grant>'
const acl = `<AccessControlPolicy><Owner><ID>alice</ID></Owner><AccessControlList>${everybodyReads}</AccessControlList></AccessControlPolicy>`
const policy = JSON.stringify({
  Version: '2012-10-17',
  Statement: [{ Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: 'arn:aws:s3:::box/*' }],
})
const tagging = '<Tagging><TagSet><Tag><Key>open</Key><Value>yes</Value></Tag></TagSet></Tagging>'
const form =
  '--b\r\nContent-Disposition: form-data; name="key"\r\n\r\nk\r\n' +
  '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nof the form\r\n--b--\r\n'

const onBuckets: readonly Sketch[] = [
  { line: 'GET /' },
  { line: 'HEAD /box' },
  { line: 'PUT /other' },
  { line: 'PUT /forked', headers: { 'x-varve-fork-source': 'box' } },
  { line: 'DELETE /empty' },
  { line: 'GET /box' },
  { line: 'GET /box?list-type=2' },
  { line: 'GET /box?versions' },
  { line: 'GET /box?uploads' },
  { line: 'GET /box?location' },
  { line: 'GET /box?policyStatus' },
  ...setting('versioning', '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>'),
  ...setting('acl', acl),
  ...setting('accelerate', '<AccelerateConfiguration><Status>Suspended</Status></AccelerateConfiguration>'),
  ...setting('logging', '<BucketLoggingStatus/>'),
  ...setting('notification', '<NotificationConfiguration/>'),
  ...setting(
    'object-lock',
    '<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled></ObjectLockConfiguration>',
  ),
  ...setting('requestPayment', '<RequestPaymentConfiguration><Payer>BucketOwner</Payer></RequestPaymentConfiguration>'),
  ...removable('tagging', tagging),
  ...removable('policy', policy),
  ...removable(
    'cors',
    '<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod></CORSRule></CORSConfiguration>',
  ),
  ...removable(
    'encryption',
    '<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault><SSEAlgorithm>AES256</SSEAlgorithm></ApplyServerSideEncryptionByDefault></Rule></ServerSideEncryptionConfiguration>',
  ),
  ...removable(
    'lifecycle',
    '<LifecycleConfiguration><Rule><ID>a</ID><Status>Enabled</Status><Filter><Prefix>x</Prefix></Filter><Expiration><Days>1</Days></Expiration></Rule></LifecycleConfiguration>',
  ),
  ...removable(
    'ownershipControls',
    '<OwnershipControls><Rule><ObjectOwnership>BucketOwnerPreferred</ObjectOwnership></Rule></OwnershipControls>',
  ),
  ...removable(
    'publicAccessBlock',
    '<PublicAccessBlockConfiguration><BlockPublicPolicy>true</BlockPublicPolicy></PublicAccessBlockConfiguration>',
  ),
  ...removable(
    'website',
    '<WebsiteConfiguration><IndexDocument><Suffix>index.html</Suffix></IndexDocument></WebsiteConfiguration>',
  ),
  document('POST /box?delete', '<Delete><Object><Key>k</Key></Object><Object><Key>also</Key></Object></Delete>'),
  { line: 'POST /box', headers: { 'content-type': 'multipart/form-data; boundary=b' }, body: form },
]

const retention =
  '<Retention><Mode>GOVERNANCE</Mode><RetainUntilDate>2030-01-01T00:00:00Z</RetainUntilDate></Retention>'

const onObjects = ({ uploadId, etag }: Scene): readonly Sketch[] => [
  { line: 'GET /box/k' },
  { line: 'HEAD /box/k' },
  { line: 'GET /box/k?acl' },
  { line: 'GET /box/k?tagging' },
  { line: 'GET /box/k?attributes', headers: { 'x-amz-object-attributes': 'ETag,ObjectSize' } },
  { line: 'GET /box/k?legal-hold' },
  { line: 'GET /box/k?retention' },
  { line: 'GET /box/k?torrent' },
  document('PUT /box/k?acl', acl),
  document('PUT /box/k?tagging', tagging),
  { line: 'DELETE /box/k?tagging' },
  document('PUT /box/k?legal-hold', '<LegalHold><Status>ON</Status></LegalHold>'),
  document('PUT /box/k?retention', retention),
  { line: 'PUT /box/k', body: 'put by the victim, in several pieces' },
  { line: 'PUT /box/k', headers: { 'x-amz-acl': 'public-read', 'x-amz-tagging': 'open=yes' }, body: 'put for all' },
  { line: 'PUT /box/k', body: 'x'.repeat(200) },
  { line: 'DELETE /box/k' },
  { line: 'PUT /box/k', headers: { 'x-amz-copy-source': '/from/k' } },
  { line: 'PUT /box/k', headers: { 'x-amz-copy-source': '/from/k', 'x-amz-tagging-directive': 'REPLACE' } },
  { line: 'POST /box/new?uploads' },
  { line: `GET /box/up?uploadId=${uploadId}` },
  { line: `DELETE /box/up?uploadId=${uploadId}` },
  { line: `PUT /box/up?partNumber=2&uploadId=${uploadId}`, body: 'a second part of the upload' },
  { line: `PUT /box/up?partNumber=2&uploadId=${uploadId}`, headers: { 'x-amz-copy-source': '/from/k' } },
  {
    line: `POST /box/up?uploadId=${uploadId}`,
    body: `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part></CompleteMultipartUpload>`,
  },
]

const lookingBack = ({ at, uploadId }: Scene): readonly Sketch[] => [
  ...['', '?list-type=2', '?versions', '?acl', '?policy', '?policyStatus', '?tagging'].map((query) => ({
    line: `GET /box--at-${at}${query}`,
  })),
  ...['', '?tagging', '?acl', '?versionId=null'].map((query) => ({ line: `GET /box--at-${at}/k${query}` })),
  { line: 'GET /box/k', headers: { 'x-varve-at': String(at) } },
  { line: 'PUT /box/k', headers: { 'x-amz-copy-source': `/from--at-${at}/k` } },
  { line: `PUT /box/up?partNumber=2&uploadId=${uploadId}`, headers: { 'x-amz-copy-source': `/from--at-${at}/k` } },
]

/** All of them, and some operations in several forms. */
export const requestsFor = (scene: Scene): readonly Sketch[] => [
  ...onBuckets,
  ...onObjects(scene),
  ...lookingBack(scene),
]
