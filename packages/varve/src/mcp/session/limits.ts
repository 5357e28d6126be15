/** What a session may write. */
import { StorageError } from '@varve/core'

export interface SessionLimits {
  /** Bytes of one object. */
  readonly objectBytes: number
  /** Bytes of all writes of a session. */
  readonly sessionBytes: number
  /** Changes of a session: each object that is written, moved, deleted, restored or undone is one. */
  readonly operations: number
}

export class Spending {
  readonly limits: SessionLimits
  #bytes = 0
  #operations = 0

  constructor(limits: SessionLimits) {
    this.limits = limits
  }

  /** What is left. */
  get left(): { readonly sessionBytes: number; readonly operations: number } {
    const { sessionBytes, operations } = this.limits
    return { sessionBytes: sessionBytes - this.#bytes, operations: operations - this.#operations }
  }

  /**
   * Counts changes before they are made, so that calls at the same time cannot exceed a limit together.
   * @throws StorageError `EntityTooLarge`, `AccessDenied`
   */
  spend({ bytes = 0, operations }: { readonly bytes?: number; readonly operations: number }): void {
    const { objectBytes } = this.limits
    if (bytes > objectBytes) {
      const details = { maxObjectSize: objectBytes }
      throw new StorageError('EntityTooLarge', `An object of this session may have ${objectBytes} bytes.`, { details })
    }
    const { left } = this
    if (bytes > left.sessionBytes) throw exceeded('maxSessionBytes', `${left.sessionBytes} more bytes`)
    if (operations > left.operations) throw exceeded('maxOperations', `${left.operations} more changes`)
    this.#bytes += bytes
    this.#operations += operations
  }
}

const exceeded = (limit: string, rest: string): StorageError =>
  new StorageError('AccessDenied', `The limits of this session allow ${rest}. A person can begin another session.`, {
    details: { limit },
  })
