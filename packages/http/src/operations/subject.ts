import { checkBucketName, checkKey } from '@varve/core'
import { forkSourceOf } from '../buckets/fork-source.ts'
import { S3Error } from '../errors/errors.ts'
import { isAsOfName } from '../look-back/past-subject.ts'
import { copySourceOf } from '../object-operations/copy-source.ts'
import type { Target } from '../target/parse-target.ts'
import type { QueryParams } from '../target/query-params.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import { textParam } from '../listings/list-parameters.ts'
import type { BuiltRow, Subject } from '../contract/operation.ts'

/**
 * The resources that a request names, with names checked for validity. Permissions and handlers use these names.
 * @throws StorageError `InvalidBucketName`, `KeyTooLongError`; S3Error `InvalidArgument`.
 */
export function parseSubject(row: BuiltRow, { bucket, key, query }: Target, headers: RequestHeaders): Subject {
  if (bucket !== undefined) checkName(bucket)
  if (key !== undefined) checkKey(key)
  const source = row.level === 'object' && row.copySource === true ? sourceOf(headers) : undefined
  const forkSource = row.level === 'bucket' && 'takesForkSource' in row ? forkSourceIn(headers) : undefined
  const subject = { ...placeOf(bucket, key), ...parameters(row, query), ...(source !== undefined && { source }) }
  return forkSource === undefined ? subject : { ...subject, forkSource }
}

/** The names of buckets as they were are checked when it is known which buckets they mean. */
function checkName(bucket: string): void {
  if (!isAsOfName(bucket)) checkBucketName(bucket)
}

/** Written without spreads: spreading optional values takes several times as long, and this runs for every request. */
function placeOf(bucket: string | undefined, key: string | undefined): Pick<Subject, 'bucket' | 'key'> {
  if (bucket === undefined) return {}
  return key === undefined ? { bucket } : { bucket, key }
}

const none = {}

function parameters({ params }: BuiltRow, query: QueryParams): Pick<Subject, 'versionId' | 'prefix'> {
  if (params === undefined) return none
  const versionId = params.includes('versionId') ? versionOf(query) : undefined
  return {
    ...(versionId !== undefined && { versionId }),
    ...(params.includes('prefix') && { prefix: textParam(query, 'prefix') ?? '' }),
  }
}

function versionOf(query: QueryParams): string | undefined {
  const versionId = query.get('versionId')
  if (versionId !== '') return versionId
  throw new S3Error('InvalidArgument', 'Version id cannot be the empty string', {
    details: { ArgumentName: 'versionId', ArgumentValue: '' },
  })
}

function forkSourceIn(headers: RequestHeaders): Subject['forkSource'] {
  const bucket = forkSourceOf(headers)
  if (bucket === undefined) return undefined
  checkName(bucket)
  return { bucket }
}

function sourceOf(headers: RequestHeaders): NonNullable<Subject['source']> {
  const source = copySourceOf(headers)
  checkName(source.bucket)
  checkKey(source.key)
  return source
}
