import { S3Error } from '../errors/errors.ts'
import type { QueryParams } from '../target/query-params.ts'

/**
 * Refuses a parameter of the other version of the listing. ListObjects and ListObjectsV2 share a URL, so such a
 * parameter is a mistake that would silently start the listing somewhere else.
 * @throws S3Error `InvalidArgument` when the parameter is present.
 */
export function otherVersionsParam(query: QueryParams, name: string): void {
  if (!query.has(name)) return
  throw new S3Error('InvalidArgument', `The parameter ${name} belongs to another version of this listing.`, {
    details: { ArgumentName: name, ArgumentValue: query.get(name) ?? '' },
  })
}
