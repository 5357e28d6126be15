/**
 * Text in headers. Node passes one byte per character, while people mean UTF-8. Text that a header cannot carry is
 * refused in the request, so that it cannot cause an error later in an answer.
 */

import { S3Error } from '../errors/errors.ts'

const control = /[\u0000-\u0008\u000a-\u001f\u007f]/
const controls = /[\u0000-\u001f\u007f-\u009f]/g
const beyondBytes = /[^\u0000-\u00ff]/
const beyondAscii = /[^\t\u0020-\u007e]/
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Decodes a header value: as UTF-8 if it is valid UTF-8, else as ISO 8859-1.
 * @throws S3Error `InvalidArgument` when it contains a control character, which only a presigned query can bring.
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

/** Encodes text for a header: UTF-8, one byte per character. Control characters, which are invalid, become spaces. */
export function encodeHeader(text: string): string {
  return beyondAscii.test(text) ? Buffer.from(text.replace(controls, ' '), 'utf8').toString('latin1') : text
}
