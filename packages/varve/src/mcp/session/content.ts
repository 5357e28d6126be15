/** The bytes of objects in answers: as text where they are text, and as base64 otherwise. */
import { StorageError } from '@varve/core'

/** The most bytes that one answer shows. */
export const shownBytesMax = 256 * 1024

/** The text that bytes are; `undefined` if they are not UTF-8, or have a NUL. */
interface ShownText {
  readonly text: string
  /** How many bytes the text has. A character that is cut at the end is left to the next answer. */
  readonly bytes: number
}

/** @param isEnd No bytes follow. */
export function textIn(bytes: Uint8Array, isEnd: boolean): ShownText | undefined {
  if (bytes.includes(0)) return undefined
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    const text = decoder.decode(bytes, { stream: !isEnd })
    const shown = Buffer.byteLength(text)
    return shown === 0 && bytes.length > 0 ? undefined : { text, bytes: shown }
  } catch {
    return undefined
  }
}

/** @throws StorageError `InvalidArgument` */
export function bytesOfBase64(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'base64')
  // Node passes over characters that are not base64.
  if (bytes.toString('base64') === text) return bytes
  throw new StorageError('InvalidArgument', 'arguments.base64 must be base64 with padding, and nothing else.', {
    details: { ArgumentName: 'base64' },
  })
}

const pictures: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])

/** The type of a picture that models can see. */
export function pictureType(contentType: string | undefined): string | undefined {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  return pictures.has(type) ? type : undefined
}
