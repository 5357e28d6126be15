/** The operations of the control API that the server answers itself. */
import { checkBucketName, StorageError } from '@varve/core'
import { type AccessExplanation, explainAccess } from '../access/explain-access.ts'
import type { ControlRow } from '../control/control-row.ts'
import {
  type AccessQuestion,
  explainAccess as explainRow,
  getMetrics,
  type MetricsText,
} from '../control/server-rows.ts'
import type { Identity } from '../access/identity.ts'
import { parseQuery } from '../target/query-params.ts'
import { createRequestHeaders } from '../target/request-headers.ts'
import type { Service } from './service-options.ts'

type InServer = (service: Service, input: object) => Promise<unknown>

const operations = new Map<ControlRow, InServer>([
  [explainRow as ControlRow, (service, input) => explained(service, input as AccessQuestion)],
  [getMetrics as ControlRow, metricsOf],
])

/** `undefined` for operations on the store. */
export const serverOperation = (row: ControlRow): InServer | undefined => operations.get(row)

async function explained(service: Service, given: AccessQuestion): Promise<AccessExplanation> {
  const { identity: id, action, bucket, key, versionId, address, secure = true } = given
  if (key !== undefined && bucket === undefined) throw wrong('key', 'A key needs a bucket.')
  if (versionId !== undefined && key === undefined) throw wrong('versionId', 'A version needs a key.')
  const identity = id === undefined ? undefined : identityNamed(service, id)
  const { store, now, options, access } = service
  if (bucket !== undefined) checkBucketName(bucket)
  const read =
    bucket === undefined || action === 's3:CreateBucket' ? undefined : await access.buckets.read(store, bucket)
  const place = { ...(bucket !== undefined && { bucket }), ...(key !== undefined && { key }) }
  return explainAccess(
    {
      requestContext: {
        identity,
        signed: identity && 'REST-HEADER',
        headers: createRequestHeaders([]),
        query: parseQuery(versionId === undefined ? '' : `versionId=${encodeURIComponent(versionId)}`),
        secure,
        region: options.region,
        address,
        now,
      },
      people: access.people,
      reads: store.tracking([]),
      readsAt: (at) => store.at(at),
    },
    { action, ...place, ...(versionId !== undefined && { versionId }) },
    read?.bucket.access,
  )
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
    throw new StorageError(
      'NotImplemented',
      'The server does not measure: start it with --metrics, or with the option metrics.',
    )
  }
  return { contentType: metrics.contentType, text: await metrics.text() }
}
