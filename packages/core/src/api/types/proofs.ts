import type { Seq } from '../../ports/index.ts'
import type { Cancelable } from './cancelable.ts'

/** The version whose proof is wanted. */
export interface ProofRequest extends Cancelable {
  readonly bucket: string
  readonly key: string
  /** Also one that was removed, or erased. @default the newest one */
  readonly versionId?: string
}

/** A proof that the log has the event that added a version. */
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

/** A new key for the log. */
export interface NewLogKey {
  /** The name of the log from now on, without spaces and `+`, such as a URL without its scheme. @default a name with a random part */
  readonly origin?: string
}
