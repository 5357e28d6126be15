/** The smallest request of a row of the table of operations. */
import type { OperationRow } from '#http/contract/operation'
import type { CallOptions } from './call.ts'

/** On a bucket, or on its object `k`. Headers that the row needs name the source `/from/k`. */
export function requestOf({ method, level, when }: OperationRow, bucket: string): readonly [string, CallOptions] {
  const query = (when.query ?? []).map((wanted) => (typeof wanted === 'string' ? wanted : wanted.join('=')))
  const headers = Object.fromEntries(
    (when.header ?? []).map((wanted) => (typeof wanted === 'string' ? [wanted, '/from/k'] : wanted)),
  )
  const path = level === 'bucket' ? `/${bucket}` : `/${bucket}/k`
  return [`${method} ${path}${query.length === 0 ? '' : `?${query.join('&')}`}`, { headers }]
}
