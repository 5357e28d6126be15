/** The tags of a form are XML; as a header they would be a query. */

import { malformed } from '../xml/malformed.ts'
import { readTagging } from '../tagging/tagging.ts'

/**
 * `key=value&…` of the field `tagging`. The header that it becomes is checked like any other.
 * @throws S3Error `MalformedXML`
 */
export function taggingHeader(field: string): string {
  // S3 takes a document of another name for one without tags.
  const [, root] = /^\s*(?:<\?xml[^>]*\?>\s*)?<([A-Za-z][\w.-]*)/.exec(field) ?? []
  if (root === undefined) throw malformed('it is not XML')
  if (root !== 'Tagging') return ''
  const tags = readTagging(Buffer.from(field, 'utf8'))
  return tags.map(({ key, value }) => `${encodeURIComponent(key)}=${encodeURIComponent(value)}`).join('&')
}
