/** A form up to its file. */

import { S3Error } from '../errors/errors.ts'
import type { MultipartReader } from './multipart.ts'
import { utf8Text } from './part-head.ts'

export interface Form {
  /** By lower-case name: case means nothing in it. */
  readonly fields: ReadonlyMap<string, string>
  /** Without the folders before it; `undefined` when the client gave the file no name. */
  readonly fileName: string | undefined
}

/**
 * Reads all fields and stops where the content of the file begins. A name means one thing, so no field may come twice.
 * @throws S3Error `IncorrectNumberOfFilesInPostRequest` without a file; `InvalidArgument` for a field that was sent twice;
 *   what the reader throws.
 */
export async function readForm(reader: MultipartReader): Promise<Form> {
  const fields = new Map<string, string>()
  for (let part = await reader.next(); part !== undefined; part = await reader.next()) {
    const name = part.name.toLowerCase()
    if (name === 'file') return { fields, fileName: lastSegment(part.fileName) }
    if (fields.has(name) && !isIgnored(name)) throw twice(part.name)
    fields.set(name, utf8Text(await reader.small()))
  }
  throw new S3Error('IncorrectNumberOfFilesInPostRequest', 'POST requires exactly one file upload per request.')
}

/** For the page alone: no condition need name them. */
export const isIgnored = (name: string): boolean => name.startsWith('x-ignore-')

/** Some clients send the whole path. */
function lastSegment(path: string | undefined): string | undefined {
  return path?.replace(/^.*[/\\]/s, '')
}

function twice(name: string): S3Error {
  return new S3Error('InvalidArgument', 'A field of the form was sent more than once.', {
    details: { ArgumentName: name },
  })
}
