/** The owner's end of a link, for as long as the worker lives. It has one session after the other. */
import type { Duplex } from 'node:stream'
import type { BlobId, OwnedLog } from '@varve/core'
import { type FrameLink, frameLink } from './frame-link.ts'
import { OwnerSession, refuse, type Stalling } from './owner-session.ts'

export class OwnerLink {
  readonly #link: FrameLink
  #session: OwnerSession
  #number: number
  readonly #stalling: Stalling

  constructor(stream: Duplex, owner: OwnedLog, number: number, stalling: Stalling) {
    this.#stalling = stalling
    this.#link = frameLink(stream, (frame) => {
      if (frame.session === this.#number) this.#session.hear(frame)
      else refuse(this.#link, frame)
    })
    this.#number = number
    this.#session = new OwnerSession(owner, this.#link, number, stalling)
  }

  /** Begins a session with a store that was opened again. Requests of the session before are refused from now on. */
  renew(owner: OwnedLog, number: number): void {
    // The old store is closed, so its session has nothing left to release.
    void this.#session.end().catch(() => undefined)
    this.#number = number
    this.#session = new OwnerSession(owner, this.#link, number, this.#stalling)
  }

  sendState(): void {
    this.#session.sendState()
  }

  /** Call this when the worker has died. Resolves with the blobs that it left without a name. */
  end(): Promise<readonly BlobId[]> {
    return this.#session.end()
  }
}
