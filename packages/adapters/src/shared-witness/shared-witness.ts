/** A witness that several engines write, on several machines. It stands beside the blobs that they share. */
import { StorageError, type Tip, type Witness } from '@varve/core'
import { sealJson, unsealJson } from '../store-directory/sealed-json.ts'

/** `write` never puts an earlier tip in the place of a later one. */
export interface SharedWitness extends Witness {
  /** Puts the tip in the place of any other, for a log that was accepted although it lost events. No engine may be open. */
  replace(tip: Tip): Promise<void>
}

/** The witness beside blobs, and a way to keep blobs of lost events. */
export interface WitnessedBlobs {
  readonly witness: SharedWitness
  /** Moves blobs to `quarantine/`, where no sweep finds them. Missing blobs are no error. */
  setAside(ids: readonly string[]): Promise<void>
}

export const tipText = ({ seq, hash }: Tip): string => sealJson({ seq, hash })

/** @throws StorageError `LogCorrupt` (`details.kind` is `witness`) */
export function parseTip(text: string): Tip {
  const { seq, hash } = unsealJson(text) ?? {}
  if (Number.isSafeInteger(seq) && (seq as number) > 0 && typeof hash === 'string') return { seq: seq as number, hash }
  throw new StorageError('LogCorrupt', 'The witness is damaged.', { details: { kind: 'witness' } })
}
