import type { Seq } from '@varve/core'

/** What is noted of a request while it runs. */
export interface Trace {
  /** S3's name of the operation. */
  operation?: string
  /** Id of the identity. */
  identity?: string
  /** The name of the identity, for people. */
  identityName?: string
  accessKeyId?: string
  /** An action of the control API. */
  isControl?: true
  /** As the request names it, also if there is no such bucket. */
  bucket?: string
  key?: string
  /** The position that the answer looks back to. */
  at?: Seq
  /** The position of the last event that the request caused. */
  seq?: Seq
}
