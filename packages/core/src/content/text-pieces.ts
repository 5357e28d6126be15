/** Encodes pieces of text as UTF-8. A piece may end inside a surrogate pair; its half is kept for the next piece. */
import { encodeUtf8, isWellFormed } from '../bytes/utf8.ts'
import { StorageError } from '../base/errors.ts'

export class TextPieces {
  #half = ''

  /** @throws StorageError `InvalidArgument` for half of a surrogate pair whose other half does not follow. */
  encode(piece: string): Uint8Array {
    const text = this.#half + piece
    const whole = endsWithinPair(text) ? text.slice(0, -1) : text
    if (!isWellFormed(whole)) throw notUnicode()
    this.#half = text.slice(whole.length)
    return encodeUtf8(whole)
  }

  /**
   * Call it before a piece that is not text, and at the end.
   * @throws StorageError `InvalidArgument` if half a pair is kept.
   */
  end(): void {
    if (this.#half !== '') throw notUnicode()
  }
}

function endsWithinPair(text: string): boolean {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff
}

const notUnicode = (): StorageError =>
  new StorageError('InvalidArgument', 'body must be well-formed Unicode: it has half of a surrogate pair.', {
    details: { ArgumentName: 'body' },
  })
