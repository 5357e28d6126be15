/** Which actions S3 documents for an operation and its headers, and which keys of conditions it documents for an action. */

import type { Request } from './world.ts'

export interface Requested {
  readonly action: string
  readonly bucket?: string
  readonly key?: string
  readonly versionId?: string
  /** It creates the object, or sets an annotation of the created object. */
  readonly making?: boolean
  readonly prefix?: string
}

const versioned: Readonly<Record<string, readonly [plain: string, ofVersion: string]>> = {
  GetObject: ['GetObject', 'GetObjectVersion'],
  HeadObject: ['GetObject', 'GetObjectVersion'],
  GetObjectAcl: ['GetObjectAcl', 'GetObjectVersionAcl'],
  PutObjectAcl: ['PutObjectAcl', 'PutObjectVersionAcl'],
  GetObjectTagging: ['GetObjectTagging', 'GetObjectVersionTagging'],
  PutObjectTagging: ['PutObjectTagging', 'PutObjectVersionTagging'],
  DeleteObjectTagging: ['DeleteObjectTagging', 'DeleteObjectVersionTagging'],
  DeleteObject: ['DeleteObject', 'DeleteObjectVersion'],
  GetObjectRetention: ['GetObjectRetention', 'GetObjectRetention'],
  PutObjectRetention: ['PutObjectRetention', 'PutObjectRetention'],
  PutObjectLegalHold: ['PutObjectLegalHold', 'PutObjectLegalHold'],
}
const plain: Readonly<Record<string, string>> = {
  AbortMultipartUpload: 'AbortMultipartUpload',
  ListParts: 'ListMultipartUploadParts',
}
const ofBuckets: Readonly<Record<string, string>> = {
  DeleteBucket: 'DeleteBucket',
  GetBucketAcl: 'GetBucketAcl',
  GetBucketLocation: 'GetBucketLocation',
  GetBucketPolicy: 'GetBucketPolicy',
  HeadBucket: 'ListBucket',
  ListMultipartUploads: 'ListBucketMultipartUploads',
  ListObjects: 'ListBucket',
  ListObjectsV2: 'ListBucket',
  ListObjectVersions: 'ListBucketVersions',
  PutBucketAcl: 'PutBucketAcl',
  PutBucketPolicy: 'PutBucketPolicy',
  PutBucketVersioning: 'PutBucketVersioning',
  DeleteBucketWebsite: 'DeleteBucketWebsite',
}
const making = [
  'PutObject',
  'CopyObject',
  'CreateMultipartUpload',
  'CompleteMultipartUpload',
  'UploadPart',
  'UploadPartCopy',
]
export const operationNames: readonly string[] = [
  ...Object.keys(versioned),
  ...Object.keys(plain),
  ...Object.keys(ofBuckets),
  ...making,
  'CreateBucket',
  'GetObjectAttributes',
  'ListBuckets',
]
export const isOfBucket = (operation: string): boolean => operation === 'CreateBucket' || operation in ofBuckets

/** All of them are needed. */
export function requested(request: Request): readonly Requested[] {
  const { operation, bucket, key, versionId } = request
  if (operation === 'ListBuckets') return [{ action: 'ListAllMyBuckets' }]
  if (operation === 'CreateBucket') return creating(request)
  const onBucket = ofBuckets[operation]
  if (onBucket !== undefined) return [{ action: onBucket, bucket }]
  const on = { bucket, key, ...(versionId !== undefined && { versionId }) }
  const pick = ([current, ofVersion]: readonly [string, string]) => (versionId === undefined ? current : ofVersion)
  if (operation === 'GetObjectAttributes') {
    const both = [pick(['GetObject', 'GetObjectVersion']), pick(['GetObjectAttributes', 'GetObjectVersionAttributes'])]
    return both.map((action) => ({ action, ...on }))
  }
  if (making.includes(operation)) return writing(request)
  const pair = versioned[operation]
  if (pair === undefined) return [{ action: plain[operation] ?? operation, ...on }]
  const compares = operation === 'DeleteObject' && (request.headers['if-match'] ?? '*') !== '*'
  return [
    { action: pick(pair), ...on },
    ...(compares ? [{ action: pick(['GetObject', 'GetObjectVersion']), ...on }] : []),
  ]
}

const hasAcl = (headers: Request['headers']): boolean =>
  Object.keys(headers).some((name) => name === 'x-amz-acl' || name.startsWith('x-amz-grant-'))

function creating({ bucket, headers }: Request): readonly Requested[] {
  const actions = ['CreateBucket']
  const isPrivate = headers['x-amz-acl'] === 'private' && !Object.keys(headers).some((name) => name.includes('grant'))
  if (hasAcl(headers) && !isPrivate) actions.push('PutBucketAcl')
  if ('x-amz-object-ownership' in headers) actions.push('PutBucketOwnershipControls')
  if (headers['x-amz-bucket-object-lock-enabled'] === 'true') {
    actions.push('PutBucketObjectLockConfiguration', 'PutBucketVersioning')
  }
  return actions.map((action) => ({ action, bucket }))
}

function writing(request: Request): readonly Requested[] {
  const { operation, bucket, key, headers, source } = request
  const on = { bucket, key }
  const found: Requested[] = [{ action: 'PutObject', ...on, making: true }]
  if (source !== undefined && operation.includes('Copy')) {
    found.push({ action: source.versionId === undefined ? 'GetObject' : 'GetObjectVersion', ...source })
  }
  if (operation.startsWith('UploadPart')) return found
  if (operation !== 'CreateMultipartUpload' && 'if-match' in headers) found.push({ action: 'GetObject', ...on })
  return operation === 'CompleteMultipartUpload' ? found : [...found, ...stating(request)]
}

/** The annotations that a write sets besides the bytes. */
function stating({ bucket, key, headers }: Request): readonly Requested[] {
  const on = { bucket, key }
  const found: Requested[] = []
  if (hasAcl(headers)) found.push({ action: 'PutObjectAcl', ...on, making: true })
  if ((headers['x-amz-tagging'] ?? '') !== '') found.push({ action: 'PutObjectTagging', ...on, making: true })
  if ('x-amz-object-lock-mode' in headers) found.push({ action: 'PutObjectRetention', ...on })
  if ('x-amz-object-lock-legal-hold' in headers) found.push({ action: 'PutObjectLegalHold', ...on })
  return found
}

const acl = 'x-amz-acl x-amz-grant-read x-amz-grant-full-control'.split(' ')
const retention = 'object-lock-mode object-lock-remaining-retention-days'.split(' ')
const tags = ['requestobjecttag', 'requestobjecttagkeys']
const written = [...acl, ...retention, ...tags, 'object-lock-legal-hold', 'x-amz-storage-class', 'x-amz-copy-source']
const listed = ['prefix', 'delimiter', 'max-keys']

/** Keys with `s3:` beyond those of every request. `versionid` is of every action on a version, tags of an object of all on objects. */
export const keysOf: Readonly<Record<string, readonly string[]>> = {
  CreateBucket: [...acl, 'x-amz-object-ownership', 'locationconstraint'],
  PutBucketAcl: acl,
  ListBucket: listed,
  ListBucketVersions: listed,
  ListBucketMultipartUploads: ['prefix', 'delimiter'],
  PutObject: [...written, 'if-match', 'if-none-match', 'objectcreationoperation'],
  PutObjectAcl: [...acl, 'x-amz-storage-class'],
  PutObjectVersionAcl: [...acl, 'x-amz-storage-class'],
  PutObjectTagging: tags,
  PutObjectVersionTagging: tags,
  PutObjectRetention: retention,
  PutObjectLegalHold: ['object-lock-legal-hold'],
  DeleteObject: ['if-match'],
  DeleteObjectVersion: ['if-match'],
}
