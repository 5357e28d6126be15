/** Short bodies are taken in one piece: as a stream, they would cost more than their bytes. */
import type { Soon } from '../base/soon.ts'
import type { ByteSource } from '../ports/index.ts'

/** The method of a source that gives all of its bytes. A source is taken in one piece, or iterated. */
export const onePiece = Symbol('varve.onePiece')

/** What a body may have: then its bytes are taken at once, and it is not iterated. */
export interface InOnePiece {
  [onePiece]?(): Soon<Uint8Array>
}

export type BodySource = ByteSource & InOnePiece

/** The longest body that is taken in one piece, in bytes: as much as a client sends at once. */
export const onePieceMax = 64 * 1024
