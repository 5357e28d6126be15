/**
 * Text in headers. Node hands over and takes one byte per character; people mean UTF-8. What a header cannot carry is
 * refused on its way in, so that it is not met for the first time when an answer is being written.
 */

import { S3Error } from '../errors/errors.ts'

const control = /[\u0000-\u0008\u000a-\u001f\u007f]/
const controls = /[\u0000-\u001f\u007f-\u009f]/g
const beyondBytes = /[^\u0000-\u00ff]/
const beyondAscii = /[^\t\u0020-\u007e]/
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The text of a header value as it came: UTF-8 where it is that, else ISO 8859-1.
 * @throws S3Error `InvalidArgument` when it holds a control character: only a presigned query can bring one.
 */
export function decodeHeader(name: string, raw: string): string {
  if (control.test(raw)) {
    throw new S3Error('InvalidArgument', 'A header value holds a control character.', {
      details: { ArgumentName: name },
    })
  }
  if (!beyondAscii.test(raw) || beyondBytes.test(raw)) return raw
  try {
    return utf8.decode(Buffer.from(raw, 'latin1'))
  } catch {
    return raw
  }
}

/** Text as a header carries it: UTF-8, one byte per character. Control characters, which none can carry, become spaces. */
export function encodeHeader(text: string): string {
  return beyondAscii.test(text) ? Buffer.from(text.replace(controls, ' '), 'utf8').toString('latin1') : text
}
