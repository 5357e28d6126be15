import { S3Error } from '../errors/errors.ts'
import type { QueryParams } from '../target/query-params.ts'

/**
 * ListObjects and ListObjectsV2 share their place, so a parameter of the other one is a mistake that would quietly start
 * the listing somewhere else.
 * @throws S3Error `InvalidArgument` when it is there.
 */
export function otherVersionsParam(query: QueryParams, name: string): void {
  if (!query.has(name)) return
  throw new S3Error('InvalidArgument', `The parameter ${name} belongs to another version of this listing.`, {
    details: { ArgumentName: name, ArgumentValue: query.get(name) ?? '' },
  })
}
