/** What a server that shares its store with others says about itself: see `GET /-/health`. */
export interface NodeHealth {
  /** Tells the servers of one store apart. */
  readonly name: string
  /** The server was told to stop, and still answers while balancers notice it. */
  readonly isDraining: boolean
  /** Asks the parts of the store whether they answer. Resolves soon, whatever they do, and never rejects. */
  failing(): Promise<FailingPart | undefined>
}

/** A part of a store that does not answer now. */
export interface FailingPart {
  readonly part: 'journal' | 'blobs'
  /** A code of `StorageError`. */
  readonly code: string
  /** Its `details.kind`, such as `tls` or `ExpiredToken`. */
  readonly kind?: string
}
