/** Access paths of S3: every operation on a bucket as it was, every way to name a moment, sources of copies and forks, and websites. */
import type { OperationName } from '#http/access/permission-table'
import type { OperationRow } from '#http/contract/operation'
import { operations } from '#http/operations/table'
import { requestOf } from '../../acceptance/support/row-request.ts'
import { type AccessPath, never, onBucket, s3 } from './access-path.ts'
import type { Request } from './send.ts'

type Past = Parameters<AccessPath['request']>[0]['past']

const readsThePast = s3('varve:ReadHistory')

/** Uploads in progress have no past. */
const ofUploads: ReadonlySet<string> = new Set(['ListMultipartUploads', 'ListParts'])

const isRead = ({ name, method, handler }: OperationRow): boolean =>
  (method === 'GET' || method === 'HEAD') && handler !== undefined && !ofUploads.has(name)

const ofRow = (row: OperationRow): AccessPath => ({
  name: `${row.name} on the past`,
  need: isRead(row) ? readsThePast : never,
  request({ past }) {
    const [line, { headers = {} }] = requestOf(row, past.at)
    return { line, headers }
  },
})

const reading = (name: string, request: (past: Past) => Request, more: Partial<AccessPath> = {}): AccessPath => ({
  name,
  need: readsThePast,
  shows: true,
  ...more,
  request: ({ past }) => request(past),
})

const isSigned = true

const moments: readonly AccessPath[] = [
  reading('GetObject by the time', ({ name, time }) => ({ line: `GET /${name}--at-${time}/k` })),
  reading('GetObject by the snapshot', ({ name }) => ({ line: `GET /${name}--at-${name}-then/k` })),
  reading('GetObject on the host of the past', ({ at }) => ({ line: 'GET /k', host: `${at}.localhost` })),
  reading('GetObject by a header', byHeader('x-varve-at', 'GET', '/k'), { isSigned }),
  reading('ListObjectVersions by a header', byHeader('x-varve-at', 'GET', '?versions'), { isSigned }),
  reading('HeadBucket by a header', byHeader('x-varve-at', 'HEAD', ''), { isSigned, shows: false }),
  reading('GetObject by a header of Tigris', byHeader('x-tigris-snapshot-version', 'GET', '/k'), { isSigned }),
  reading('ListObjectsV2 by a header of Tigris', byHeader('x-tigris-snapshot-version', 'GET', '?list-type=2'), {
    isSigned,
  }),
  reading('GetObject by a parameter', ({ name, seq }) => ({ line: `GET /${name}/k?x-varve-at=${seq}` }), { isSigned }),
  reading('GetObject of the past by a URL', ({ at }) => ({ line: `GET /${at}/k`, signed: 'url' })),
  reading(
    'GetObject by a URL with a parameter',
    ({ name, seq }) => ({ line: `GET /${name}/k?x-varve-at=${seq}`, signed: 'url' }),
    { isSigned },
  ),
  reading('GetObject of a range', ({ at }) => ({ line: `GET /${at}/k`, headers: { range: 'bytes=0-3' } })),
  reading('GetObject of a removed version', ({ at, removed }) => ({ line: `GET /${at}/k?versionId=${removed}` })),
]

function byHeader(header: string, method: string, path: string): (past: Past) => Request {
  return ({ name, seq }) => ({ line: `${method} /${name}${path}`, headers: { [header]: String(seq) } })
}

const refused = (name: string, request: AccessPath['request']): AccessPath => ({ name, need: never, request })

const unsigned = (name: string, header: string, more: Partial<Request>): AccessPath =>
  refused(name, ({ past }) => ({
    line: `GET /${past.name}/k`,
    unsignedHeaders: { [header]: String(past.seq) },
    ...more,
  }))

const removed = (name: string, method: string, query: string): AccessPath =>
  refused(`${name} of a removed version now`, ({ past }) => ({
    line: `${method} /${past.name}/k?${query}versionId=${past.removed}`,
    headers: { 'x-amz-object-attributes': 'ObjectSize' },
  }))

/** Nothing allows them, whatever the rights. */
const neverAllowed: readonly AccessPath[] = [
  unsigned('GetObject by an unsigned header', 'x-varve-at', {}),
  unsigned('GetObject by a URL and an unsigned header', 'x-varve-at', { signed: 'url' }),
  unsigned('GetObject by a header beside a signature of version 2', 'x-varve-at', { signed: 'version 2' }),
  unsigned('GetObject by an unsigned header of Tigris', 'x-tigris-snapshot-version', { signed: 'url' }),
  removed('GetObject', 'GET', ''),
  removed('HeadObject', 'HEAD', ''),
  removed('GetObjectAcl', 'GET', 'acl&'),
  removed('GetObjectTagging', 'GET', 'tagging&'),
  removed('GetObjectAttributes', 'GET', 'attributes&'),
  removed('PutObjectTagging', 'PUT', 'tagging&'),
  refused('CopyObject of a removed version now', ({ past, target, next }) => ({
    line: `PUT /${target}/${next()}`,
    headers: { 'x-amz-copy-source': `/${past.name}/k?versionId=${past.removed}` },
  })),
  refused('UploadPartCopy of a removed version now', ({ past, target, uploadId }) => ({
    line: `PUT /${target}/parts?partNumber=1&uploadId=${uploadId}`,
    headers: { 'x-amz-copy-source': `/${past.name}/k?versionId=${past.removed}` },
  })),
  refused('PutObject by a header', ({ past }) => ({
    line: `PUT /${past.name}/k`,
    headers: { 'x-varve-at': String(past.seq) },
    body: 'x',
  })),
  refused('CreateBucket of the name of the past', ({ past }) => ({ line: `PUT /${past.at}` })),
  refused('PostObject into the past', ({ past }) => ({
    line: `POST /${past.at}`,
    headers: { 'content-type': 'multipart/form-data; boundary=b' },
    signed: 'not',
    body: [
      '--b\r\nContent-Disposition: form-data; name="key"\r\n\r\nk\r\n',
      `--b\r\nContent-Disposition: form-data; name="x-varve-at"\r\n\r\n${past.seq}\r\n`,
      '--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\nbytes\r\n--b--\r\n',
    ].join(''),
  })),
  refused('a page of the website by a header', ({ past }) => ({
    line: 'GET /absent',
    host: `${past.name}.site.test`,
    headers: { 'x-varve-at': String(past.seq) },
  })),
  refused('a page of the website by a parameter', ({ past }) => ({
    line: `GET /absent?x-varve-at=${past.seq}`,
    host: `${past.name}.site.test`,
  })),
  refused('a page of the website of the past', ({ past }) => ({ line: 'GET /k', host: `${past.at}.site.test` })),
]

interface Sourced extends AccessPath {
  /** The operation that takes the source. */
  readonly operation: OperationName
}

const copying = (name: string, source: (past: Past) => string, headers: Request['headers'] = {}): Sourced => ({
  name: `CopyObject of ${name}`,
  operation: 'CopyObject',
  need: readsThePast,
  request: ({ past, target, next }) => ({
    line: `PUT /${target}/${next()}`,
    headers: { 'x-amz-copy-source': source(past), ...headers },
  }),
})

const copyingPart = (name: string, source: (past: Past) => string, headers: Request['headers'] = {}): Sourced => ({
  name: `UploadPartCopy of ${name}`,
  operation: 'UploadPartCopy',
  need: readsThePast,
  request: ({ past, target, uploadId }) => ({
    line: `PUT /${target}/parts?partNumber=1&uploadId=${uploadId}`,
    headers: { 'x-amz-copy-source': source(past), ...headers },
  }),
})

const forking = (
  name: string,
  isPast: boolean,
  headers: (past: Past) => Readonly<Record<string, string>>,
): Sourced => ({
  name: `CreateBucket as a fork ${name}`,
  operation: 'CreateBucket',
  need: isPast ? s3('varve:ForkBucket', 'varve:ReadHistory') : s3('varve:ForkBucket'),
  isSigned: true,
  request: ({ past, next }) => ({ line: `PUT /${next()}`, headers: headers(past) }),
})

/** Every operation that has a source beside its own bucket. */
export const sources: readonly Sourced[] = [
  copying('the past', ({ at }) => `/${at}/k`),
  copying('the past without its tags', ({ at }) => `${at}/k`, { 'x-amz-tagging-directive': 'REPLACE' }),
  copying('a removed version in the past', ({ at, removed: id }) => `/${at}/k?versionId=${id}`),
  copying('a snapshot', ({ name }) => `/${name}--at-${name}-then/k`),
  copyingPart('the past', ({ at }) => `/${at}/k`),
  copyingPart('a range of the past', ({ at }) => `/${at}/k`, { 'x-amz-copy-source-range': 'bytes=0-3' }),
  forking('of now', false, ({ name }) => ({ 'x-varve-fork-source': name })),
  forking('of the past', true, ({ at }) => ({ 'x-varve-fork-source': at })),
  forking('of a snapshot', true, ({ name }) => ({ 'x-varve-fork-source': `${name}--at-${name}-then` })),
  forking('of now, by a header of Tigris', false, ({ name }) => ({ 'x-tigris-fork-source-bucket': name })),
  forking('of the past, by headers of Tigris', true, ({ name, seq }) => ({
    'x-tigris-fork-source-bucket': name,
    'x-tigris-fork-source-bucket-snapshot': String(seq),
  })),
]

const snapshots: readonly AccessPath[] = [
  {
    name: 'CreateBucket as a snapshot, by a header of Tigris',
    need: onBucket('varve:CreateSnapshot'),
    request: ({ past, next }) => ({
      line: `PUT /${past.name}`,
      headers: { 'x-tigris-snapshot': `true; name=${next()}` },
    }),
  },
  {
    name: 'ListBuckets of snapshots, by a header of Tigris',
    need: onBucket('varve:ListSnapshots'),
    request: ({ past }) => ({ line: 'GET /', headers: { 'x-tigris-snapshot': past.name } }),
  },
  {
    name: 'DeleteBucket of a snapshot, by a header of Tigris',
    need: onBucket('varve:DeleteSnapshot'),
    request: ({ past }) => ({ line: `DELETE /${past.name}`, headers: { 'x-tigris-snapshot-version': 'absent' } }),
  },
]

export const s3AccessPaths: readonly AccessPath[] = [
  ...operations.filter(({ level }) => level !== 'service').map(ofRow),
  ...moments,
  ...sources,
  ...snapshots,
  ...neverAllowed,
]
