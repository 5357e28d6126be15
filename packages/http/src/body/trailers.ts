/** Parses the text after the last chunk of an aws-chunked body. */

import { S3Error } from '../errors/errors.ts'
import { canonicalHeaderName } from '../target/request-headers.ts'

/** The longest accepted trailer section, in bytes: many times the size of one checksum and one signature. */
export const trailerBytesMax = 4096

export interface Trailers {
  /** By name in lower case, `x-svc-…` spelled `x-amz-…`; without the signature. */
  readonly values: ReadonlyMap<string, string>
  /**
   * The text that the trailer signature covers: one `name:value
   * ` each, with names as sent but in lower case.
   */
  readonly signedText: string
  readonly signature: string | undefined
}

/**
 * Parses the rest of a body. Lines end in CRLF or LF, and the last one is empty. One known client sends another empty
 * line before the signature, so empty lines are ignored.
 * @param text One byte per character.
 * @throws S3Error `IncompleteBody` without the closing empty line; `MalformedTrailerError` for a line that is not a
 * trailer, comes twice, or follows the signature.
 */
export function parseTrailers(text: string): Trailers {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  // A closing empty line produces two empty pieces: itself, and the text after it.
  if (lines.length < 2 || lines.at(-1) !== '' || lines.at(-2) !== '') {
    throw new S3Error('IncompleteBody', 'The request body terminated unexpectedly')
  }
  const values = new Map<string, string>()
  let signedText = ''
  let signature: string | undefined
  for (const line of lines.filter((text) => text !== '')) {
    const { sent, name, value } = parseLine(line)
    if (signature !== undefined || values.has(name)) throw malformedTrailer()
    if (name === 'x-amz-trailer-signature') {
      signature = value
    } else {
      values.set(name, value)
      signedText += `${sent}:${value}\n`
    }
  }
  return { values, signedText, signature }
}

/**
 * @param known Whether the value of an announced trailer is known without the trailer.
 * @throws S3Error `MalformedTrailerError` unless exactly the announced trailers were sent.
 */
export function checkTrailerNames(
  values: ReadonlyMap<string, string>,
  announced: readonly string[],
  known: (name: string) => boolean,
): void {
  for (const name of values.keys()) if (!announced.includes(name)) throw malformedTrailer()
  for (const name of announced) if (!values.has(name) && !known(name)) throw malformedTrailer()
}

export function malformedTrailer(): S3Error {
  return new S3Error(
    'MalformedTrailerError',
    'The request contained trailing data that was not well-formed or did not conform to our published schema.',
  )
}

const trailerLine = /^([A-Za-z0-9-]+):[ \t]*([!-~]*)[ \t]*$/

function parseLine(line: string): { readonly sent: string; readonly name: string; readonly value: string } {
  const [, written, value = ''] = trailerLine.exec(line) ?? []
  if (written === undefined) throw malformedTrailer()
  const sent = written.toLowerCase()
  return { sent, name: canonicalHeaderName(sent), value }
}
