/** The lines above the content of a part. */

import { malformed } from './malformed.ts'

export interface PartHead {
  /** The name of the field, as sent. */
  readonly name: string
  /** The name of the file, as sent; it may be a path. */
  readonly fileName?: string
}

/**
 * @param lines One byte per character, without their line ends.
 * @throws S3Error `MalformedPOSTRequest`
 */
export function parsePartHead(lines: readonly string[]): PartHead {
  const headers = new Map<string, string>()
  for (const line of lines) {
    const [, name = '', value = ''] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? []
    const known = name.toLowerCase()
    if (name === '' || headers.has(known)) throw malformed('A part has a header that cannot be.')
    headers.set(known, value)
  }
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase() ?? 'binary'
  if (!['7bit', '8bit', 'binary'].includes(encoding)) throw malformed('A part is sent in an encoding.')
  return disposition(headers.get('content-disposition') ?? '')
}

function disposition(text: string): PartHead {
  const [type = ''] = /^[^;]*/.exec(text) ?? []
  if (type.trim().toLowerCase() !== 'form-data') throw malformed('A part is not one of a form.')
  const parameters = parametersOf(text.slice(type.length))
  const name = parameters.get('name')
  if (name === undefined) throw malformed('A part has no name.')
  const fileName = parameters.get('filename') ?? extended(parameters.get('filename*'))
  return { name: utf8Text(name), ...(fileName !== undefined && { fileName: utf8Text(fileName) }) }
}

/** A word, or a text in quotes. Only a quote is escaped in it: any other backslash belongs to a path. */
const parameter = /;[ \t]*([!#$&+.^_`|~0-9A-Za-z-]+\*?)=(?:"((?:[^"\\]|\\.)*)"|([^\s";]*))[ \t]*/y

function parametersOf(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (let at = 0; at < text.length; at = parameter.lastIndex) {
    parameter.lastIndex = at
    const [, name = '', quoted, word = ''] = parameter.exec(text) ?? []
    const known = name.toLowerCase()
    if (name === '' || found.has(known)) throw malformed('A part has a Content-Disposition that cannot be.')
    found.set(known, quoted?.replaceAll('\\"', '"') ?? word)
  }
  return found
}

/** `utf-8''%e2%82%ac.txt`, as some clients write names beyond ASCII. */
function extended(value: string | undefined): string | undefined {
  if (value === undefined) return undefined
  const [, escaped] = /^utf-8'[^']*'([^']*)$/i.exec(value) ?? []
  if (escaped === undefined) throw malformed('A part has a file name in a character set that is not UTF-8.')
  return escaped.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** @throws S3Error `MalformedPOSTRequest` for bytes that are not UTF-8. */
export function utf8Text(bytes: string | Uint8Array): string {
  try {
    return utf8.decode(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  } catch {
    throw malformed('A name or a value is not UTF-8.')
  }
}
