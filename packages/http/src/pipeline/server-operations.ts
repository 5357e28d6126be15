/** The operations of the control API that the server answers itself. */
import { checkBucketName, type Seq, StorageError } from '@varve/core'
import { type AccessExplanation, explainAccess } from '../access/explain-access.ts'
import type { ControlRow } from '../control/control-row.ts'
import {
  type AccessQuestion,
  explainAccess as explainRow,
  getMetrics,
  type MetricsText,
} from '../control/server-rows.ts'
import {
  beginMove,
  getMove,
  type MoveRequest,
  type MoveStatus,
  type StoreMover,
  stopMove,
} from '../control/move-rows.ts'
import type { Permission } from '../policies/permission.ts'
import type { Identity } from '../access/identity.ts'
import { parseQuery } from '../target/query-params.ts'
import { createRequestHeaders } from '../target/request-headers.ts'
import type { Service } from './service-options.ts'

type InServer = (service: Service, input: object) => Promise<unknown>

const operations = new Map<ControlRow, InServer>([
  [explainRow as ControlRow, (service, input) => explained(service, input as AccessQuestion)],
  [getMetrics as ControlRow, metricsOf],
  [beginMove as ControlRow, (service, input) => moverOf(service).begin((input as MoveRequest).to)],
  [getMove as ControlRow, async (service) => known(moverOf(service).status())],
  [stopMove as ControlRow, async (service) => known(await moverOf(service).stop())],
])

/** `undefined` for operations on the store. */
export const serverOperation = (row: ControlRow): InServer | undefined => operations.get(row)

async function explained(service: Service, given: AccessQuestion): Promise<AccessExplanation> {
  const { identity: id, action, bucket } = given
  const permission = permissionOf(given)
  const identity = id === undefined ? undefined : identityNamed(service, id)
  const { store, access } = service
  if (bucket !== undefined) checkBucketName(bucket)
  const isThere = bucket !== undefined && action !== 's3:CreateBucket'
  const read = isThere ? await access.buckets.read(store, bucket) : undefined
  const reads = { reads: store.tracking([]), readsAt: (at: Seq) => store.at(at) }
  const requestContext = requestOf(service, identity, given)
  return explainAccess({ requestContext, people: access.people, ...reads }, permission, read?.bucket.access)
}

function permissionOf({ action, bucket, key, versionId }: AccessQuestion): Permission {
  if (key !== undefined && bucket === undefined) throw wrong('key', 'A key needs a bucket.')
  if (versionId !== undefined && key === undefined) throw wrong('versionId', 'A version needs a key.')
  return {
    action,
    ...(bucket !== undefined && { bucket }),
    ...(key !== undefined && { key }),
    ...(versionId !== undefined && { versionId }),
  }
}

/** A signed request without further headers. */
function requestOf({ options, now }: Service, identity: Identity | undefined, given: AccessQuestion) {
  const { versionId, address, secure = true } = given
  return {
    identity,
    signed: identity && ('REST-HEADER' as const),
    headers: createRequestHeaders([]),
    query: parseQuery(versionId === undefined ? '' : `versionId=${encodeURIComponent(versionId)}`),
    secure,
    region: options.region,
    address,
    now,
  }
}

function identityNamed({ access }: Service, id: string): Identity {
  const found = access.people.byId(id)
  if (found === undefined) throw wrong('identity', `The server has no identity with the id ${JSON.stringify(id)}.`)
  return found
}

const wrong = (argument: string, message: string): StorageError =>
  new StorageError('InvalidArgument', message, { details: { ArgumentName: argument } })

async function metricsOf({ metrics }: Service): Promise<MetricsText> {
  if (metrics === undefined) {
    throw new StorageError('NotImplemented', 'The server does not measure.', {
      hint: 'Start it with `varve serve --metrics`, or with the option `metrics`.',
    })
  }
  return { contentType: metrics.contentType, text: await metrics.text() }
}

function moverOf({ mover }: Service): StoreMover {
  if (mover !== undefined) return mover
  throw new StorageError('NotImplemented', 'Only a server of a directory moves its store, in one process.', {
    hint: 'Start it without `--workers`.',
  })
}

function known(status: MoveStatus | undefined): MoveStatus {
  if (status !== undefined) return status
  throw new StorageError('InvalidRequest', 'This server has not begun to move its store.')
}
