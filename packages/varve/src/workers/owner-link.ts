/** The owner's end of a link, for as long as the worker lives: one session after the other. */
import type { Duplex } from 'node:stream'
import type { BlobId, OwnedLog } from '@varve/core'
import { type FrameLink, frameLink } from './frame-link.ts'
import { OwnerSession, refuse } from './owner-session.ts'

export class OwnerLink {
  readonly #link: FrameLink
  #session: OwnerSession
  #number: number

  constructor(stream: Duplex, owner: OwnedLog, number: number) {
    this.#link = frameLink(stream, (frame) => {
      if (frame.session === this.#number) this.#session.hear(frame)
      else refuse(this.#link, frame)
    })
    this.#number = number
    this.#session = new OwnerSession(owner, this.#link, number)
  }

  /** Goes on with a store that was opened again. What was begun with the one before is refused from now on. */
  renew(owner: OwnedLog, number: number): void {
    // Of a store that is closed: there is nothing left to let go.
    void this.#session.end().catch(() => undefined)
    this.#number = number
    this.#session = new OwnerSession(owner, this.#link, number)
  }

  sendState(): void {
    this.#session.sendState()
  }

  /** The worker is dead. Resolves with the blobs it left without a name. */
  end(): Promise<readonly BlobId[]> {
    return this.#session.end()
  }
}
