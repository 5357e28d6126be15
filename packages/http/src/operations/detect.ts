/** Which operation is asked for: a pure function of method, level, query and headers. */

import { S3Error } from '../errors.ts'
import type { QueryParams } from '../target/query-params.ts'
import type { RequestHeaders } from '../target/request-headers.ts'
import type { FormRow, Level, OperationRow, Subject, When } from './operation.ts'
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

/** The first row that fits. @throws S3Error `MethodNotAllowed`, with the methods that would do. */
export function detect(request: RequestShape): OperationRow {
  const { method, level } = request
  const found = operations.find((row) => row.method === method && row.level === level && holds(row.when, request))
  if (found !== undefined) return found
  const allowed = new Set(operations.filter((row) => row.level === level && holds(row.when, request)).map(methodOf))
  throw new S3Error('MethodNotAllowed', 'The specified method is not allowed against this resource.', {
    details: { Method: method, ResourceType: resourceTypes[level] },
    headers: { allow: [...allowed].sort().join(', ') },
  })
}

/** Whether who asks stands in the body. */
export function isForm(row: OperationRow): row is FormRow {
  return 'form' in row
}

const resourceTypes: Readonly<Record<Level, string>> = { service: 'SERVICE', bucket: 'BUCKET', object: 'OBJECT' }

const methodOf = (row: OperationRow): string => row.method

function holds({ query = [], header = [] }: When, request: RequestShape): boolean {
  return (
    query.every((wanted) =>
      typeof wanted === 'string'
        ? request.query.has(wanted)
        : request.query.entries.some(([name, value]) => name === wanted[0] && value === wanted[1]),
    ) &&
    header.every((wanted) =>
      typeof wanted === 'string'
        ? request.headers.has(wanted)
        : (request.headers.get(wanted[0]) ?? '').toLowerCase().startsWith(wanted[1]),
    )
  )
}
