/** Text that comes in pieces, as UTF-8. A piece may end within a surrogate pair: the half waits for the piece after it. */
import { encodeUtf8, isWellFormed } from '../bytes/utf8.ts'
import { StorageError } from '../base/errors.ts'

export class TextPieces {
  #half = ''

  /** @throws StorageError `InvalidArgument` for half of a pair that the other half does not follow. */
  encode(piece: string): Uint8Array {
    const text = this.#half + piece
    const whole = endsWithinPair(text) ? text.slice(0, -1) : text
    if (!isWellFormed(whole)) throw notUnicode()
    this.#half = text.slice(whole.length)
    return encodeUtf8(whole)
  }

  /** Before anything that is no text, and at the end. @throws StorageError `InvalidArgument` while half of a pair waits. */
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
