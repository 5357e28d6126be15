/** Heals one blob or row: asks the copies one after another, checks what they have, puts it back, and states it in the log. */
import { checkContent, checkDataKey } from '../content/check-content.ts'
import type { DamagedBytes } from '../content/damaged-bytes.ts'
import { RunBuffers } from '../content/run-buffers.ts'
import { broughtBlob } from '../events/brought-blob.ts'
import type { BytesHealed } from '../events/index.ts'
import { readEvent } from '../events/log.ts'
import { observedCode, type Observing } from '../observing/observing.ts'
import type { BlobStore, Copy, Hashing, Ids, Journal, Timer } from '../ports/index.ts'
import type { LogService } from '../requests/log-service.ts'
import { blobTable } from '../views/content-tables.ts'
import { committedRows } from '../views/row-reader.ts'
import { type CheckedCopy, copiedBlob, copiedRow, type LoggedDigest } from './checked-copy.ts'
import { isNeeded } from '../reads/is-needed.ts'
import { Patience } from './patient.ts'
import { putBlobBack } from './put-blob-back.ts'

export interface HealingPorts {
  readonly journal: Journal
  readonly blobs: BlobStore
  readonly hashing: Hashing
  readonly ids: Ids
  readonly timer: Timer
  /** In the order in which they are asked. */
  readonly copies: readonly Copy[]
  readonly observing: Observing | undefined
}

type Owner = Pick<LogService, 'beginRead' | 'erased' | 'submit' | 'withSnapshot'>

const actor = { id: 'varve', name: 'healing' }

/** Resolves with true if the bytes are as they were written, also if another reader healed them. */
export async function healBytes(
  ports: HealingPorts,
  owner: Owner,
  damaged: DamagedBytes,
  signal: AbortSignal,
): Promise<boolean> {
  // Nothing is erased meanwhile, or healing could bring back what is gone for good.
  const release = owner.beginRead(0)
  try {
    await owner.erased(0)
    return await new Healing(ports, owner, damaged, signal).run()
  } finally {
    release()
  }
}

class Healing {
  readonly #ports: HealingPorts
  readonly #owner: Owner
  readonly #damaged: DamagedBytes
  readonly #signal: AbortSignal

  constructor(ports: HealingPorts, owner: Owner, damaged: DamagedBytes, signal: AbortSignal) {
    this.#ports = ports
    this.#owner = owner
    this.#damaged = damaged
    this.#signal = signal
  }

  async run(): Promise<boolean> {
    const { hashing } = this.#ports
    const fault = await this.#fault()
    if (fault === undefined) return true
    if (fault === 'passing') return false
    const isMissing = fault === 'missing'
    if (!(await this.#owner.withSnapshot((rows) => isNeeded(rows, hashing, this.#damaged, isMissing)))) return false
    const digest = await this.#digest()
    let refusal: unknown
    for (const copy of this.#ports.copies) {
      this.#signal.throwIfAborted()
      try {
        if (!(await this.#takeFrom(copy, fault, digest))) continue
        this.#ports.observing?.healing?.({ what: this.#damaged.what, isHealed: true })
        return true
      } catch (error) {
        // The next copy may be whole.
        refusal ??= error
      }
    }
    this.#noteFailure(refusal)
    return false
  }

  #noteFailure(refusal: unknown): void {
    const errorCode = refusal === undefined ? 'BlobMissing' : observedCode(refusal)
    this.#ports.observing?.healing?.({ what: this.#damaged.what, isHealed: false, errorCode })
  }

  /** What is wrong with the stored bytes now. */
  async #fault(): Promise<BytesHealed['fault'] | 'passing' | undefined> {
    const { blobs, hashing, journal: rows } = this.#ports
    const { what, blob, sealed } = this.#damaged
    const check = { blobs, hashing, rows, buffers: new RunBuffers(), signal: this.#signal }
    const fault =
      what === 'key'
        ? sealed && (await checkDataKey(check, { blob, sealed }))
        : (await checkContent(check, { blob, sealed: undefined }))[0]
    if (fault === undefined) return undefined
    if (fault.isPassing === true) return 'passing'
    return fault.kind.endsWith('Missing') ? 'missing' : 'damaged'
  }

  /** The event that brought a blob has a digest of it that is stronger than its checksums. */
  async #digest(): Promise<LoggedDigest> {
    const { journal, hashing } = this.#ports
    const { blob, seq: hint } = this.#damaged
    const named = blob.inline
      ? undefined
      : await this.#owner.withSnapshot((rows) => committedRows(rows, hashing).get(blobTable.key(blob.id)))
    const seq = named?.by ?? hint
    if (seq === undefined) return {}
    const { event } = await readEvent({ journal, hashing }, seq)
    const brought = broughtBlob(event)
    if (brought?.id !== blob.id) return {}
    const isPlain = brought.content.sealed === undefined && this.#damaged.what !== 'key'
    const etag = isPlain && 'etag' in event.data ? event.data.etag : ''
    return { seq, md5: /^[0-9a-f]{32}$/.test(etag) ? etag : undefined }
  }

  async #takeFrom(copy: Copy, fault: BytesHealed['fault'], digest: LoggedDigest): Promise<boolean> {
    const { blobs, hashing, timer } = this.#ports
    const { what, blob } = this.#damaged
    const from: CheckedCopy = { copy, hashing, patience: new Patience(timer, this.#signal) }
    if (what === 'blob') {
      await putBlobBack(blobs, blob, () => copiedBlob(from, blob, digest), this.#signal)
      // The bytes are back, also if the log takes no more events.
      await this.#state(copy, fault, digest).catch(() => undefined)
      return true
    }
    const row = await copiedRow(from, this.#damaged, digest)
    if (row === undefined) return false
    try {
      await this.#state(copy, fault, digest, [row])
    } catch (error) {
      // The outcome of the commit may be unknown.
      if ((await this.#fault()) !== undefined) throw error
    }
    return true
  }

  async #state(
    copy: Copy,
    fault: BytesHealed['fault'],
    { seq }: LoggedDigest,
    rows: Parameters<Owner['submit']>[1] = [],
  ): Promise<void> {
    const { what, blob } = this.#damaged
    const data: BytesHealed = {
      what,
      blob: blob.id,
      ...(seq !== undefined && { brought: seq }),
      fault,
      from: copy.name,
    }
    await this.#owner.submit({ type: 'HealBytes', data, meta: { by: actor, requestId: this.#ports.ids.next() } }, rows)
  }
}
