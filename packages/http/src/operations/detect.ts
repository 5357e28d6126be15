/** Finds the requested operation: a pure function of method, level, query and headers. */

import { S3Error } from '../errors/errors.ts'
import type { QueryParams } from '../target/query-params.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import type { FormRow, Level, OperationRow, Subject, When } from '../contract/operation.ts'
import { operations } from './table.ts'

export interface RequestShape {
  readonly method: string
  readonly level: Level
  readonly query: QueryParams
  readonly headers: RequestHeaders
}

export function levelOf({ bucket, key }: Pick<Subject, 'bucket' | 'key'>): Level {
  if (bucket === undefined) return 'service'
  return key === undefined ? 'bucket' : 'object'
}

/** Returns the first row that matches. @throws S3Error `MethodNotAllowed`, with the allowed methods */
export function detect(request: RequestShape): OperationRow {
  const { method, level } = request
  const found = candidates[level].get(method)?.find(({ when }) => holds(when, request))
  if (found !== undefined) return found
  const allowed = new Set(operations.filter((row) => row.level === level && holds(row.when, request)).map(methodOf))
  throw new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.', {
    details: { Method: method, ResourceType: resourceTypes[level] },
    headers: { allow: [...allowed].sort().join(', ') },
  })
}

/** Whether the credentials are in the body. */
export function isForm(row: OperationRow): row is FormRow {
  return 'form' in row
}

/** The rows of a method at a level, in the order of the table. */
const candidates: Readonly<Record<Level, Map<string, OperationRow[]>>> = {
  service: new Map(),
  bucket: new Map(),
  object: new Map(),
}
for (const row of operations) {
  const ofLevel = candidates[row.level]
  ofLevel.set(row.method, [...(ofLevel.get(row.method) ?? []), row])
}

const resourceTypes: Readonly<Record<Level, string>> = { service: 'SERVICE', bucket: 'BUCKET', object: 'OBJECT' }

const methodOf = (row: OperationRow): string => row.method

function holds({ query: parameters, header: headers }: When, { query, headers: sent }: RequestShape): boolean {
  return (
    (parameters === undefined || parameters.every((wanted) => isInQuery(wanted, query))) &&
    (headers === undefined || headers.every((wanted) => isSent(wanted, sent)))
  )
}

const isInQuery = (wanted: Wanted<'query'>, { entries, has }: QueryParams): boolean =>
  typeof wanted === 'string' ? has(wanted) : entries.some(([name, value]) => name === wanted[0] && value === wanted[1])

const isSent = (wanted: Wanted<'header'>, headers: RequestHeaders): boolean =>
  typeof wanted === 'string' ? headers.has(wanted) : (headers.get(wanted[0]) ?? '').toLowerCase().startsWith(wanted[1])

type Wanted<Of extends keyof When> = NonNullable<When[Of]>[number]
