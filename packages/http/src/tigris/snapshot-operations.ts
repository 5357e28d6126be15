/** Operations on the snapshots of a bucket, which the headers of Tigris make of requests of S3. */

import { checkBucketName, type SnapshotInfo, StorageError } from '@varve/core'
import { emptyAnswer, xmlAnswer } from '../contract/answer.ts'
import type { BucketContext, BucketOperation, BucketRow } from '../contract/operation.ts'
import type { ControlPlace } from '../control/answer-control.ts'
import { S3Error } from '../errors/errors.ts'
import { decodeToken, encodeToken } from '../listings/continuation-token.ts'
import { pageSizeParam, textParam } from '../listings/list-parameters.ts'
import { timeElement } from '../listings/listing-elements.ts'
import type { VarveAction } from '../policies/actions.ts'
import { element, optionalElement } from '../xml/write.ts'
import { type BucketSnapshots, bucketSnapshots } from './bucket-snapshots.ts'
import { hasVersion, versionOf } from './snapshot-version.ts'
import { type SnapshotRequest, versionHeader } from './tigris-headers.ts'

const actions = {
  create: 'varve:CreateSnapshot',
  list: 'varve:ListSnapshots',
  delete: 'varve:DeleteSnapshot',
} as const satisfies Record<SnapshotRequest['does'], VarveAction>

export interface SnapshotOperation {
  readonly action: VarveAction
  readonly row: BucketRow
}

/**
 * The operation on snapshots, as a row like those of S3.
 * @param control Where the store is open. Absent: the server has no control API, so it has no snapshots.
 * @throws S3Error `NotImplemented`; StorageError `InvalidBucketName`
 */
export function snapshotOperation(
  control: (() => ControlPlace) | undefined,
  request: SnapshotRequest,
): SnapshotOperation {
  checkBucketName(request.bucket)
  if (control === undefined) throw new S3Error('NotImplemented', 'This server has no control API, so no snapshots.')
  const action = actions[request.does]
  const handler: BucketOperation = async (context) => run(request, context, snapshotsOf(control(), context))
  const permissions: BucketRow['permissions'] = ({ bucket = '' }) => [{ action, bucket }]
  return { action, row: { ...shapes[request.does], level: 'bucket', when: {}, permissions, handler } }
}

const shapes = {
  // Clients create a bucket, so they send its configuration.
  create: { name: 'CreateBucketSnapshot', method: 'PUT', body: 'document' },
  list: { name: 'ListBucketSnapshots', method: 'GET', params: ['continuation-token', 'max-buckets'] },
  delete: { name: 'DeleteBucketSnapshot', method: 'DELETE' },
} as const satisfies Record<SnapshotRequest['does'], Pick<BucketRow, 'name' | 'method' | 'params' | 'body'>>

const snapshotsOf = (place: ControlPlace, { bucket, by, requestId, client }: BucketContext): BucketSnapshots =>
  bucketSnapshots(place, { bucket, by, requestId, signal: client.signal })

function run(request: SnapshotRequest, context: BucketContext, snapshots: BucketSnapshots) {
  switch (request.does) {
    case 'create':
      return create(request.name ?? newName(context), context, snapshots)
    case 'list':
      return list(context, snapshots)
    case 'delete':
      return remove(request.version, snapshots)
  }
}

/** Names are unique in a store. */
const newName = ({ requestId }: BucketContext): string => `s${requestId.toLowerCase()}`

async function create(name: string, { bucket, body }: BucketContext, snapshots: BucketSnapshots) {
  await body.small(configurationBytesMax)
  const snapshot = await snapshots.create(name)
  return emptyAnswer(200, { location: `/${bucket}`, [versionHeader]: versionOf(snapshot) })
}

const configurationBytesMax = 64 * 1024
const pageMax = 1000

async function list({ at, query, options: { namespace } }: BucketContext, snapshots: BucketSnapshots) {
  if (at !== undefined) throw new S3Error('InvalidRequest', 'The snapshots of the past are not listed.')
  const limit = pageSizeParam(query, 'max-buckets', pageMax)
  const token = textParam(query, 'continuation-token')
  const all = await snapshots.list()
  const rest = token === undefined ? all : all.filter(isAfter(decodeToken(token)))
  const page = rest.slice(0, limit)
  const end = rest.length > page.length ? page.at(-1) : undefined
  return xmlAnswer('ListAllMyBucketsResult', namespace, [
    element('Buckets', page.map(entry)),
    optionalElement('ContinuationToken', end && encodeToken(entryName(end))),
  ])
}

const entryName = (snapshot: SnapshotInfo): string => `${versionOf(snapshot)}; name=${snapshot.name}`

const entry = (snapshot: SnapshotInfo) =>
  element('Bucket', [element('Name', entryName(snapshot)), timeElement('CreationDate', snapshot.createdAt)])

/** The last entry of the page before may be gone. */
function isAfter(last: string): (snapshot: SnapshotInfo) => boolean {
  const [version = '', name = ''] = last.split('; name=')
  const position = Number(version)
  return (snapshot) => snapshot.seq > position || (snapshot.seq === position && snapshot.name > name)
}

/** Several snapshots of a bucket can name one position. */
async function remove(version: string, snapshots: BucketSnapshots) {
  const found = (await snapshots.list()).filter((snapshot) => hasVersion(snapshot, version))
  if (found.length === 0) throw new StorageError('NoSuchSnapshot', 'The bucket has no snapshot of this version.')
  for (const { name } of found) await snapshots.delete(name)
  return emptyAnswer(204)
}
