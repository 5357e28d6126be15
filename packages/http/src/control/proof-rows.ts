/** Checkpoints of the log, and proofs that others can check. */
import {
  callArguments,
  type Checkpoint,
  type Cosignature,
  type CosignedCheckpoint,
  type ErasureReceipt,
  type EventProofOptions,
  type LogConsistency,
  type LogKey,
  type NewLogKey,
  type ProofRequest,
  schema,
  type Seq,
  type VersionProof,
} from '@varve/core'
import { isoDate } from './common-fields.ts'
import { valueRow } from './control-row.ts'
import { jsonBody, jsonForm, nothing, numberForm, query } from './input.ts'

const { integer, object, objectWith, optional, text } = schema
const { erasureRequests, eventProofFields, eventSeq, keyText, logSize, newLogKey, proofFields } = callArguments

const logKey = objectWith<LogKey>({ origin: text(), key: text() })

export const getLogKey = valueRow<object, LogKey>({
  name: 'GetLogKey',
  summary: 'The name of the log, and the public key of its checkpoints',
  method: 'GET',
  path: '/-/v1/proofs/key',
  action: 'varve:ReadCheckpoints',
  input: nothing,
  output: logKey,
  run: ({ store }) => store.proofs.key(),
})

const checkpointFields = { origin: text(), size: integer({ min: 0 }), root: text(), text: text() }

export const getCheckpoint = valueRow<object, Checkpoint>({
  name: 'GetCheckpoint',
  summary: 'The signed head of the log, as it is now',
  method: 'GET',
  path: '/-/v1/proofs/checkpoint',
  action: 'varve:ReadCheckpoints',
  input: nothing,
  output: objectWith<Checkpoint>(checkpointFields),
  run: ({ store, signal }) => store.proofs.checkpoint({ signal }),
})

const eventProof = objectWith<VersionProof>({ seq: integer({ min: 1 }), text: text() })

export type ProvenVersion = Omit<ProofRequest, 'signal'>

export const proveVersion = valueRow<ProvenVersion, VersionProof>({
  name: 'ProveVersion',
  summary: 'A proof that the log has the event that added a version',
  method: 'GET',
  path: '/-/v1/proofs/version',
  // The proof has the whole event.
  action: 'varve:ReadLog',
  input: query(object<ProvenVersion>(proofFields)),
  output: eventProof,
  run: ({ store, input, signal }) => store.proofs.prove({ ...input, signal }),
})

/** An event, and the checkpoint that it is proven by. */
export interface ProvenEvent extends Omit<EventProofOptions, 'signal'> {
  readonly seq: Seq
}

export const proveEvent = valueRow<ProvenEvent, VersionProof>({
  name: 'ProveEvent',
  summary: 'A proof that the log has the event at a position: the receipt of a write',
  method: 'GET',
  path: '/-/v1/proofs/event',
  action: 'varve:ReadLog',
  input: query(object<ProvenEvent>({ seq: eventSeq, ...eventProofFields }), { seq: numberForm }),
  output: eventProof,
  run: ({ store, input: { seq, ...options }, signal }) => store.proofs.proveEvent(seq, { ...options, signal }),
})

/** The requests of an erasure, by their positions. */
export interface ProvenErasure {
  readonly requests: readonly Seq[]
}

export const proveErasure = valueRow<ProvenErasure, ErasureReceipt>({
  name: 'ProveErasure',
  summary: 'The receipt of an erasure',
  method: 'GET',
  path: '/-/v1/proofs/erasure',
  action: 'varve:ReadLog',
  input: query(object<ProvenErasure>({ requests: erasureRequests }), { requests: jsonForm }),
  output: objectWith<ErasureReceipt>({
    text: text(),
    versions: integer({ min: 0 }),
    uploads: integer({ min: 0 }),
    pending: integer({ min: 0 }),
  }),
  run: ({ store, input: { requests }, signal }) => store.proofs.erasure(requests, { signal }),
})

/** The size of the log in an earlier checkpoint. */
export interface EarlierSize {
  readonly earlier: number
}

export const proveConsistency = valueRow<EarlierSize, LogConsistency>({
  name: 'ProveConsistency',
  summary: 'A proof that the log has only grown since it had fewer events',
  method: 'GET',
  path: '/-/v1/proofs/consistency',
  action: 'varve:ReadCheckpoints',
  input: query(object<EarlierSize>({ earlier: logSize }), { earlier: numberForm }),
  output: objectWith<LogConsistency>({ earlier: integer({ min: 0 }), size: integer({ min: 0 }), text: text() }),
  run: ({ store, input, signal }) => store.proofs.consistency(input.earlier, { signal }),
})

/** A path of the C2SP tlog-tiles API. */
export interface TileOfLog {
  readonly path: string
}

/** Absent: the tree does not have it yet. */
export interface TileBytes {
  /** Base64. */
  readonly bytes?: string
}

export const getLogTile = valueRow<TileOfLog, TileBytes>({
  name: 'GetLogTile',
  summary: "Hashes of the log's tree, or the entries of its leaves",
  method: 'GET',
  path: '/-/v1/proofs/tile',
  action: 'varve:ReadCheckpoints',
  input: query(object<TileOfLog>({ path: text() })),
  output: objectWith<TileBytes>({ bytes: optional(text()) }),
  async run({ store, input, signal }) {
    const bytes = await store.proofs.tile(input.path, { signal })
    return bytes === undefined ? {} : { bytes: Buffer.from(bytes).toString('base64') }
  },
})

/** What a witness returned. */
export interface NewCosignature {
  readonly line: string
  /** The public key of the witness. */
  readonly witness: string
}

export const addCosignature = valueRow<NewCosignature, CosignedCheckpoint>({
  name: 'AddCosignature',
  summary: 'Adds the signature of a witness to the last checkpoint',
  method: 'POST',
  path: '/-/v1/proofs/cosignatures',
  action: 'varve:AddCosignature',
  input: jsonBody(object<NewCosignature>({ line: keyText, witness: keyText })),
  output: objectWith<CosignedCheckpoint>({
    ...checkpointFields,
    cosignature: objectWith<Cosignature>({ witness: text(), at: isoDate }),
  }),
  run: ({ store, input: { line, witness } }) => store.proofs.cosign(line, witness),
})

export const renewLogKey = valueRow<NewLogKey, LogKey>({
  name: 'RenewLogKey',
  summary: 'Gives the log another key and another name; only over the local socket',
  method: 'PUT',
  path: '/-/v1/proofs/key',
  // Others could no longer check the log against what was signed before.
  isLocalOnly: true,
  input: jsonBody(newLogKey),
  output: logKey,
  run: ({ store, input }) => store.proofs.renewKey(input),
})
