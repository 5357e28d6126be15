import { errorTable } from '../errors/error-table.ts'
import { S3Error } from '../errors/errors.ts'

/**
 * The one answer to a body that is not the XML it should be. `reason` is ours; it never quotes text the client sent.
 * `cause` may, and is for logs.
 */
export function malformed(reason: string, cause?: unknown): S3Error {
  return new S3Error('MalformedXML', `${errorTable.MalformedXML.message}: ${reason}.`, { cause })
}
