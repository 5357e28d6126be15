/** Options of reads of projections. */
import type { Cancelable } from './cancelable.ts'

/** Which states of a projection are read, in which order. Keys are ordered by their bytes of UTF-8. */
export interface ProjectionRangeOptions extends Cancelable {
  /** Only keys that begin with this. Not together with `gte` and `lt`. */
  readonly prefix?: string
  /** The first key. @default the first key of the projection */
  readonly gte?: string
  /** The key before which the range ends. @default after the last key of the projection */
  readonly lt?: string
  /** Reads from the end. @default false */
  readonly reverse?: boolean
  /** The most states. @default all */
  readonly limit?: number
}

/** A state of a projection, and its key. */
export interface ProjectedState<S> {
  readonly key: string
  readonly state: S
}
