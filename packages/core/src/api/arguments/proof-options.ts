/** Checks the arguments of proofs. */
import { isKeyName } from '../../proofs/signed-note.ts'
import { integer, text } from '../../schema/scalars.ts'
import { Mismatch, type Schema } from '../../schema/schema.ts'
import type { Seq } from '../../ports/index.ts'
import { array, object, optional } from '../../schema/structures.ts'
import type { EventProofOptions, NewLogKey, ProofRequest } from '../types/index.ts'
import { name, signal } from './common.ts'

/** A note with many signatures is much shorter. */
const noteText = text({ max: 256 * 1024 })

export const proofFields = { bucket: name, key: name, versionId: optional(text()), checkpoint: optional(noteText) }

export const proofRequest = object<ProofRequest>({ ...proofFields, ...signal })

export const eventProofFields = { checkpoint: optional(noteText) }

export const eventProofOptions = object<EventProofOptions>({ ...eventProofFields, ...signal })

export const eventSeq = integer({ min: 1 })

const seqs = array<Seq>(eventSeq)

/** Each of up to 250 versions. */
export const erasureRequests: Schema<readonly Seq[]> = {
  read(value) {
    const requests = seqs.read(value)
    if (requests.length >= 1 && requests.length <= 16) return requests
    throw new Mismatch('must be 1 to 16 positions')
  },
  accepts: (value) => seqs.accepts(value),
  json: { type: 'array', items: { type: 'integer', minimum: 1 }, minItems: 1, maxItems: 16 },
}

export const logSize = integer({ min: 0 })

/** Keys of logs and witnesses are short; this is only a bound. */
export const keyText = text({ min: 1, max: 1024 })

const anyText = text()

export const originText: Schema<string> = {
  read(value) {
    const origin = anyText.read(value)
    if (isKeyName(origin)) return origin
    throw new Mismatch('must be 1 to 256 characters without spaces, control characters and +')
  },
  accepts: (value) => typeof value === 'string' && isKeyName(value),
  json: { type: 'string' },
}

export const newLogKey = object<NewLogKey>({ origin: optional(originText) })
