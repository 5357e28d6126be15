import { errorTable } from '../errors/error-table.ts'
import { S3Error } from '../errors/errors.ts'

/**
 * The error for a body that is not the expected XML. `reason` is the server's text and never quotes the client. `cause`
 * may quote it, and is for logs.
 */
export function malformed(reason: string, cause?: unknown): S3Error {
  return new S3Error('MalformedXML', `${errorTable.MalformedXML.message}: ${reason}.`, { cause })
}
