import type { Seq } from '../../ports/index.ts'
import type { Cosignature } from '../../proofs/cosignature.ts'
import type { Cancelable } from './cancelable.ts'

/** By which checkpoint an event is proven. */
export interface EventProofOptions extends Cancelable {
  /**
   * The text of an earlier checkpoint of this log, such as one that witnesses have signed. It must be later than the event.
   * @default the log is signed as it is now
   */
  readonly checkpoint?: string
}

/** The version whose proof is wanted. */
export interface ProofRequest extends EventProofOptions {
  readonly bucket: string
  readonly key: string
  /** Also one that was removed, or erased. @default the newest one */
  readonly versionId?: string
}

/** A proof that the log has an event, such as the one that added a version. */
export interface VersionProof {
  /** The position of the event in the log, from 1. */
  readonly seq: Seq
  /** The proof, as C2SP tlog-proof. It contains the event and a signed checkpoint. */
  readonly text: string
}

/** A proof that the log has only grown. */
export interface LogConsistency {
  /** The number of events then. */
  readonly earlier: number
  /** The number of events of the checkpoint in the proof. */
  readonly size: number
  /** The proof, in the form that witnesses take: the hashes, and a signed checkpoint. */
  readonly text: string
}

/** The signed head of the log. */
export interface Checkpoint {
  /** The name of the log. */
  readonly origin: string
  /** The number of events. */
  readonly size: number
  /** The root of the tree, base64. */
  readonly root: string
  /** The checkpoint as a signed note. */
  readonly text: string
}

/** A checkpoint that a witness has signed too. */
export interface CosignedCheckpoint extends Checkpoint {
  readonly cosignature: Cosignature
}

/** A new key for the log. */
export interface NewLogKey {
  /** The name of the log from now on, without spaces and `+`, such as a URL without its scheme. @default a name with a random part */
  readonly origin?: string
}
