/** Converts the tags of a form, which are XML, to the query format of the header. */

import { malformed } from '../xml/malformed.ts'
import { readTagging } from '../tagging/tagging.ts'

/**
 * Returns `key=value&…` for the field `tagging`. The resulting header is checked like any other.
 * @throws S3Error `MalformedXML`
 */
export function taggingHeader(field: string): string {
  // S3 treats a document with another root as one without tags.
  const [, root] = /^\s*(?:<\?xml[^>]*\?>\s*)?<([A-Za-z][\w.-]*)/.exec(field) ?? []
  if (root === undefined) throw malformed('it is not XML')
  if (root !== 'Tagging') return ''
  const tags = readTagging(Buffer.from(field, 'utf8'))
  return tags.map(({ key, value }) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`).join('&')
}
