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
  // Written without spreads: they take several times as long, and this runs for every request.
  const subject: Writable<Subject> = {}
  if (bucket !== undefined) subject.bucket = bucket
  if (key !== undefined) subject.key = key
  if (row.params !== undefined) addParameters(subject, row.params, query)
  if (row.level === 'object' && row.copySource === true) subject.source = sourceOf(headers)
  if (row.level === 'bucket' && 'takesForkSource' in row) addForkSource(subject, headers)
  return subject
}

/** The names of buckets as they were are checked when it is known which buckets they mean. */
function checkName(bucket: string): void {
  if (!isAsOfName(bucket)) checkBucketName(bucket)
}

type Writable<T> = { -readonly [K in keyof T]: T[K] }

function addParameters(subject: Writable<Subject>, params: readonly string[], query: QueryParams): void {
  const versionId = params.includes('versionId') ? versionOf(query) : undefined
  if (versionId !== undefined) subject.versionId = versionId
  if (params.includes('prefix')) subject.prefix = textParam(query, 'prefix') ?? ''
}

function versionOf(query: QueryParams): string | undefined {
  const versionId = query.get('versionId')
  if (versionId !== '') return versionId
  throw new S3Error('InvalidArgument', 'Version id cannot be the empty string', {
    details: { ArgumentName: 'versionId', ArgumentValue: '' },
  })
}

function addForkSource(subject: Writable<Subject>, headers: RequestHeaders): void {
  const bucket = forkSourceOf(headers)
  if (bucket === undefined) return
  checkName(bucket)
  subject.forkSource = { bucket }
}

function sourceOf(headers: RequestHeaders): NonNullable<Subject['source']> {
  const source = copySourceOf(headers)
  checkName(source.bucket)
  checkKey(source.key)
  return source
}
