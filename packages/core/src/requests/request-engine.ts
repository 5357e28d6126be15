/**
 * Answers requests: it receives and reads the bytes itself, and sends commands and row reads to the owner of the log.
 * The owner's process has one, and each worker that shares its blobs may have one.
 */
import type { Command, CommandShapes, CommandType } from '../commands/command.ts'
import type { ReadSet } from '../commands/read-set.ts'
import { discardContent, type WrittenContent, writeContent } from '../content/content-writer.ts'
import type { BodySource } from '../content/one-piece.ts'
import { Manifests } from '../content/manifests.ts'
import { OpenIntakes } from '../content/open-intakes.ts'
import { OpenReads } from '../content/open-reads.ts'
import { Expirations } from './expirations.ts'
import { RunBuffers } from '../content/run-buffers.ts'
import { isStorageError, StorageError } from '../base/errors.ts'
import { type Soon, whenThere } from '../base/soon.ts'
import type { Observing } from '../observing/observing.ts'
import type { EventType, RecordedEvent } from '../events/index.ts'
import type {
  BlobStore,
  Ciphers,
  Clock,
  DigestAlgorithm,
  Hashing,
  Ids,
  Keyring,
  Reserve,
  Secret,
  Timer,
} from '../ports/index.ts'
import { type Place, whileAuthorised } from './authorisation.ts'
import type { LogService } from './log-service.ts'
import { type Attempt, commandMeta } from './request-context.ts'
import { ReservedIdentities } from './reserved-identities.ts'
import { type Protection, StoreKeys } from './store-keys.ts'
import { TurnTaking } from '../scheduling/turn-taking.ts'
import { fleetingSecret, type UploadIds, uploadIds } from './upload-ids.ts'

/** What the request engine itself uses outside the process. */
export interface RequestPorts {
  readonly blobs: BlobStore
  readonly ids: Ids
  readonly hashing: Hashing
  /** If absent, the store assumes that the medium has room. */
  readonly reserve?: Reserve
  /** If absent, encryption is not available. */
  readonly ciphers?: Ciphers
  /** If absent, only keys that clients send can encrypt. */
  readonly keyring?: Keyring
  /** If absent, unread bodies are held for ever. */
  readonly clock?: Clock
  /** If absent, uploads in progress get new ids each time the store is opened. */
  readonly secret?: Secret
  /** If absent, a source that always has more bytes blocks all other work of the process. */
  readonly timer?: Timer
}

/** How the bytes of a write are received. */
export interface Intake {
  readonly algorithms: readonly DigestAlgorithm[]
  readonly signal: AbortSignal | undefined
  /** If absent, the bytes are stored unencrypted. */
  readonly protection: Protection | undefined
}

export interface RequestEngineOptions {
  readonly inlineMax: number
  readonly lifecycleDayMs: number
  /** Absent: nothing is measured. */
  readonly observing?: Observing | undefined
  /** Those of the store, for a part of it that ends earlier. */
  readonly outerIntakes?: OpenIntakes
}

/** Error codes of a failed disk, or of a file system that became read-only or shut down because of one. */
const outOfOrder: ReadonlySet<unknown> = new Set(['EIO', 'EROFS', 'EUCLEAN', 'ENXIO', 'ENODEV'])

export class RequestEngine {
  readonly owner: LogService
  readonly ports: RequestPorts
  readonly manifests: Manifests
  readonly buffers = new RunBuffers()
  readonly keys: StoreKeys
  readonly openReads: OpenReads
  readonly openIntakes: OpenIntakes
  readonly uploadIds: () => Promise<UploadIds>
  readonly expirations: Expirations
  /** Identities that a server of this process has besides those of the log. */
  readonly reservedIdentities = new ReservedIdentities()
  readonly #options: RequestEngineOptions
  readonly #turns: TurnTaking

  constructor(owner: LogService, ports: RequestPorts, options: RequestEngineOptions) {
    this.owner = owner
    this.ports = ports
    this.#options = options
    this.#turns = new TurnTaking(ports.timer)
    this.keys = new StoreKeys(owner, ports)
    this.expirations = new Expirations(options.lifecycleDayMs)
    this.openReads = new OpenReads(ports.clock)
    this.openIntakes = new OpenIntakes(options.outerIntakes)
    this.uploadIds = uploadIds(ports.hashing, ports.secret ?? fleetingSecret(ports.ids))
    this.manifests = new Manifests((ask) => owner.withSnapshot(ask), ports.hashing, {
      tally: options.observing?.tally('manifests'),
    })
  }

  /** The longest content that stays in memory until its commit, in bytes. */
  get inlineMax(): number {
    return this.#options.inlineMax
  }

  /** The length of a day in lifecycle rules, in milliseconds. */
  get lifecycleDayMs(): number {
    return this.#options.lifecycleDayMs
  }

  /** @throws StorageError the rule's error; `ReadSetChanged`; the refusal of a caller that is authorised again. */
  async submit<T extends CommandType>(
    type: T,
    data: CommandShapes[T],
    context: Attempt,
    written?: WrittenContent,
  ): Promise<readonly RecordedEvent[]> {
    this.owner.assertOpen()
    const meta = commandMeta(context, this.ports.ids)
    const { authorisation, readSet } = context
    const submitOn = (current: ReadSet | undefined) => {
      const command = { type, data, meta: current === undefined ? meta : { readSet: current, ...meta } } as Command
      return this.owner.submit(command, written?.sideRows)
    }
    // The written bytes stay until the command is settled, even if it is authorised several times.
    const events =
      authorisation === undefined
        ? await submitOn(readSet)
        : await whileAuthorised(authorisation, data as Place, submitOn)
    if (written !== undefined) this.#settle(written)
    const last = events.at(-1)
    if (last !== undefined) context.committed?.(last.seq)
    return events
  }

  /** Refuses a write that needs room while the medium is nearly full. @throws StorageError `NoSpace`. */
  assertRoom(): Soon<void> {
    this.owner.assertOpen()
    const refusal = this.owner.failure ?? this.owner.refusal
    if (refusal !== undefined) throw refusal
    return whenThere(this.ports.reserve?.exhausted(), (isExhausted) => (isExhausted ? this.#makeRoom() : undefined))
  }

  async #makeRoom(): Promise<void> {
    await this.owner.makeRoom?.()
    if (await this.ports.reserve?.exhausted({ fresh: true })) {
      throw new StorageError('NoSpace', 'The disk is nearly full: the store refuses writes that need more room.', {
        hint: 'Free space: reads and deletes still work. See `docs/runbooks/full-disk.md`.',
      })
    }
  }

  /**
   * Writes bytes and passes them to `commit`, which names them in a command. If the command is refused, the bytes are
   * deleted at once. If its outcome is unknown, they stay until the store is opened again, which settles it.
   */
  async withContent<R>(
    source: BodySource,
    intake: Intake,
    commit: (written: WrittenContent) => Promise<R>,
  ): Promise<R> {
    const asserting = this.assertRoom()
    if (asserting !== undefined) await asserting
    const written = await this.#write(source, intake)
    try {
      intake.signal?.throwIfAborted()
      return await commit(written)
    } catch (error) {
      // A blob that cannot be deleted now is an orphan, which the sweep finds. The caller gets the refusal.
      const isRefused = !written.isSettled && this.owner.failure === undefined
      if (isRefused) await this.#discard(written).catch(() => undefined)
      throw error
    }
  }

  /**
   * Stops all writes if the medium itself failed: it needs to be inspected. Failures that concern only this request,
   * such as too many open files, are returned unchanged.
   */
  stopOnMediumFailure(error: unknown): unknown {
    if (!isStorageError(error, 'BlobFailed')) return error
    const { errno, kind } = error.details
    return outOfOrder.has(errno) || kind === 'directory' ? this.owner.fail(error) : error
  }

  /** Ends the bodies that are received and those that are read. */
  async end(reason: StorageError): Promise<void> {
    await this.openIntakes.end(reason)
    await this.openReads.end(reason)
  }

  async #write(source: BodySource, { algorithms, signal, protection }: Intake) {
    const { blobs, hashing, ids } = this.ports
    const { inlineMax } = this.#options
    const turn = () => {
      this.#turns.spend(1)
      return this.#turns.wait()
    }
    const { inFlight } = this.owner
    const seal = protection?.seal
    try {
      return await this.openIntakes.during(signal, (wait) =>
        writeContent({ blobs, hashing, ids, inlineMax, inFlight, seal, turn, wait }, source, algorithms, signal),
      )
    } catch (error) {
      throw this.stopOnMediumFailure(error)
    }
  }

  #discard({ content }: WrittenContent): Promise<void> {
    return discardContent({ blobs: this.ports.blobs, inFlight: this.owner.inFlight }, content)
  }

  /** A commit names the content, so a later failure must not delete its bytes. */
  #settle(written: WrittenContent): void {
    const { content } = written
    written.isSettled = true
    if (content.kind === 'blob' && !content.blob.inline) this.owner.inFlight.delete(content.blob.id)
  }
}

/** The event of one type among the events of a command. */
export const findEvent = <T extends EventType>(
  events: readonly RecordedEvent[],
  type: T,
): RecordedEvent<T> | undefined => events.find((event) => event.type === type) as RecordedEvent<T> | undefined
