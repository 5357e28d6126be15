/** The errors of checkpoints and proofs. */
import { StorageError } from '../base/errors.ts'
import type { TilePlace } from './tile.ts'

/** `kind` says what is wrong: `format`, `key`, `signature`, `inclusion`, `consistency`, `event`, `content`, `witness`. */
export const invalidProof = (kind: string, message: string): StorageError =>
  new StorageError('ProofInvalid', message, { details: { kind } })

export const missingTile = ({ level, index }: TilePlace): StorageError =>
  new StorageError('RowCorrupt', `Tile ${index} of level ${level} of the log's tree is missing.`, {
    hint: 'Make the views again with `varve rebuild`.',
    details: { kind: 'keyspace', level, index },
  })

/** The log does not begin with the tree that was signed. */
export const otherLog = (signed: number, size: number): StorageError =>
  new StorageError(
    'CheckpointConflict',
    `The key of the log signed a checkpoint of ${signed} events, and the log of ${size} events does not begin with these: it lost events, or is an older copy.`,
    { details: { signed, size } },
  )

/** The write is committed. */
export const receiptFailed = (seq: number, cause: unknown): StorageError =>
  new StorageError('ReceiptFailed', `The write is committed as event ${seq}, and its receipt could not be made.`, {
    details: { seq },
    cause,
    hint: `Do not repeat the write. Prove its event later with \`varve prove --seq ${seq}\`.`,
  })

export const beforeEvent = (seq: number, size: number): StorageError =>
  new StorageError('MomentOutOfRange', `The checkpoint has ${size} events, and event ${seq} is not one of them.`, {
    details: { seq, size },
  })

export const afterTree = (size: number, argument: string): StorageError =>
  new StorageError('MomentOutOfRange', `The log has ${size} events.`, { details: { ArgumentName: argument, size } })
