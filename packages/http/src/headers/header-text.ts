/**
 * Text in headers. Node passes one byte per character, while people mean UTF-8. Text that a header cannot carry is
 * refused in the request, so that it cannot cause an error later in an answer.
 */

import { bytesInWord, decodeHeaderText, textOfHeaderBytes } from '@varve/core'
import { S3Error } from '../errors/errors.ts'

const control = /[\u0000-\u0008\u000a-\u001f\u007f]/
const controls = /[\u0000-\u0008\u000a-\u001f\u007f]/g
const beyondAscii = /[^\t\u0020-\u007e]/

/**
 * Decodes a header value: as UTF-8 if it is valid UTF-8, else as ISO 8859-1.
 * @throws S3Error `InvalidArgument` when it contains a control character, which only a presigned query can bring.
 */
export function decodeHeader(name: string, raw: string): string {
  checkControls(name, raw)
  return decodeHeaderText(raw)
}

/**
 * The text to store for a header that comes back with the same bytes: see `encodeStoredHeader`.
 * @throws S3Error `InvalidArgument` as `decodeHeader`
 */
export function storedHeader(name: string, raw: string): string {
  checkControls(name, raw)
  return textOfHeaderBytes(raw)
}

function checkControls(name: string, raw: string): void {
  if (!control.test(raw)) return
  throw new S3Error('InvalidArgument', 'A header value holds a control character.', {
    details: { ArgumentName: name },
  })
}

/** The bytes of a stored header, one byte per character, as they were sent. */
export const encodeStoredHeader = (text: string): string => bytesInWord(text) ?? encodeHeader(text)

/** Encodes text for a header: UTF-8, one byte per character. Control characters, which are invalid, become spaces. */
export function encodeHeader(text: string): string {
  return beyondAscii.test(text) ? Buffer.from(text.replace(controls, ' '), 'utf8').toString('latin1') : text
}
