import { checkBucketName, checkKey } from '@varve/core'
import { S3Error } from '../errors.ts'
import { copySourceOf } from '../objects/copy-source.ts'
import type { Target } from '../target/parse-target.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import type { BuiltRow, Subject } from './operation.ts'

/**
 * What a request names, checked as far as names go. Everything that is asked for permission and acted on is read here.
 * @throws StorageError `InvalidBucketName`, `KeyTooLongError`; S3Error `InvalidArgument`.
 */
export function parseSubject(row: BuiltRow, { bucket, key, query }: Target, headers: RequestHeaders): Subject {
  if (bucket !== undefined) checkBucketName(bucket)
  if (key !== undefined) checkKey(key)
  const versionId = row.params?.includes('versionId') ? query.get('versionId') : undefined
  if (versionId === '') {
    throw new S3Error('InvalidArgument', 'Version id cannot be the empty string', {
      details: { ArgumentName: 'versionId', ArgumentValue: '' },
    })
  }
  const source = row.level === 'object' && row.copySource === true ? copySourceOf(headers) : undefined
  if (source !== undefined) {
    checkBucketName(source.bucket)
    checkKey(source.key)
  }
  return {
    ...(bucket !== undefined && { bucket }),
    ...(key !== undefined && { key }),
    ...(versionId !== undefined && { versionId }),
    ...(source !== undefined && { source }),
  }
}
