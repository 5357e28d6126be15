import { limits } from '@varve/core'
import { S3Error } from '../errors/errors.ts'

/** A part number in a query. @throws S3Error `InvalidArgument` unless it is 1 to 10,000. */
export function parsePartNumber(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (number >= 1 && number <= limits.partNumberMax) return number
  throw new S3Error('InvalidArgument', 'Part number must be an integer between 1 and 10000, inclusive', {
    details: { ArgumentName: 'partNumber', ArgumentValue: text },
  })
}
