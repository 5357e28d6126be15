/** Reads the fields of a form, up to its file. */

import { S3Error } from '../errors/errors.ts'
import type { MultipartReader } from './multipart.ts'
import { utf8Text } from './part-head.ts'

export interface Form {
  /** By lower-case name: the names of fields are not case-sensitive. */
  readonly fields: ReadonlyMap<string, string>
  /** The file name without its folders; `undefined` when the client sent none. */
  readonly fileName: string | undefined
}

/**
 * Reads all fields and stops where the content of the file begins. No field may occur twice.
 * @throws S3Error `IncorrectNumberOfFilesInPostRequest` without a file; `InvalidArgument` for a field that was sent
 * twice; errors of the reader.
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

/** Fields for the HTML page only: the policy need not name them. */
export const isIgnored = (name: string): boolean => name.startsWith('x-ignore-')

/** Removes the folders from a file name: some clients send the whole path. */
function lastSegment(path: string | undefined): string | undefined {
  return path?.replace(/^.*[/\\]/s, '')
}

function twice(name: string): S3Error {
  return new S3Error('InvalidArgument', 'A field of the form was sent more than once.', {
    details: { ArgumentName: name },
  })
}
