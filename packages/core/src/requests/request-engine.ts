/**
 * Where requests are answered: bytes are taken in and read here, commands and questions about rows go to the owner of the
 * log. There is one in the owner's process, and may be one in each of others that share its blobs.
 */
import type { Command, CommandShapes, CommandType } from '../commands/command.ts'
import type { ReadSet } from '../commands/read-set.ts'
import { discardContent, type WrittenContent, writeContent } from '../content/content-writer.ts'
import { Manifests } from '../content/manifests.ts'
import { OpenReads } from '../content/open-reads.ts'
import { Expirations } from './expirations.ts'
import { RunBuffers } from '../content/run-buffers.ts'
import { isStorageError, StorageError } from '../base/errors.ts'
import type { EventType, RecordedEvent } from '../events/index.ts'
import type {
  BlobStore,
  ByteSource,
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
import { type Protection, StoreKeys } from './store-keys.ts'
import { TurnTaking } from '../scheduling/turn-taking.ts'
import { fleetingSecret, type UploadIds, uploadIds } from './upload-ids.ts'

/** What it touches of the world by itself. */
export interface RequestPorts {
  readonly blobs: BlobStore
  readonly ids: Ids
  readonly hashing: Hashing
  /** Without one, the medium is taken to have room. */
  readonly reserve?: Reserve
  /** Without them, nothing can be encrypted. */
  readonly ciphers?: Ciphers
  /** Without one, nothing can be encrypted but with keys that clients bring. */
  readonly keyring?: Keyring
  /** Without one, bodies that are left unread are held for ever. */
  readonly clock?: Clock
  /** Without one, the ids of uploads in progress are others each time the store is opened. */
  readonly secret?: Secret
  /** Without one, a source of bytes that always has more keeps everything else of the process waiting. */
  readonly timer?: Timer
}

/** How bytes are taken in. */
export interface Intake {
  readonly algorithms: readonly DigestAlgorithm[]
  readonly signal: AbortSignal | undefined
  /** Without it, bytes lie there as they came. */
  readonly protection: Protection | undefined
}

export interface RequestEngineOptions {
  readonly inlineMax: number
  readonly lifecycleDayMs: number
}

/** Error codes of a failed disk, or of a file system that turned read-only or shut down because of one. */
const outOfOrder: ReadonlySet<unknown> = new Set(['EIO', 'EROFS', 'EUCLEAN', 'ENXIO', 'ENODEV'])

export class RequestEngine {
  readonly owner: LogService
  readonly ports: RequestPorts
  readonly manifests: Manifests
  readonly buffers = new RunBuffers()
  readonly keys: StoreKeys
  readonly openReads: OpenReads
  readonly uploadIds: () => Promise<UploadIds>
  readonly expirations: Expirations
  readonly #options: RequestEngineOptions
  readonly #turns: TurnTaking
  readonly #settled = new WeakSet<WrittenContent>()

  constructor(owner: LogService, ports: RequestPorts, options: RequestEngineOptions) {
    this.owner = owner
    this.ports = ports
    this.#options = options
    this.#turns = new TurnTaking(ports.timer)
    this.keys = new StoreKeys(owner, ports)
    this.expirations = new Expirations(options.lifecycleDayMs)
    this.openReads = new OpenReads(ports.clock)
    this.uploadIds = uploadIds(ports.hashing, ports.secret ?? fleetingSecret(ports.ids))
    this.manifests = new Manifests((ask) => owner.withSnapshot(ask), ports.hashing)
  }

  /** How long a day of lifecycle rules is. */
  get lifecycleDayMs(): number {
    return this.#options.lifecycleDayMs
  }

  /** @throws StorageError the rule's coded error; `ReadSetChanged`, and what refuses a caller that is authorised again. */
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
      const command = { type, data, meta: current === undefined ? meta : { ...meta, readSet: current } } as Command
      return this.owner.submit(command, written?.inlineRows)
    }
    // The bytes stay where they were written until the command is settled, however often it is authorised again.
    const events =
      authorisation === undefined
        ? await submitOn(readSet)
        : await whileAuthorised(authorisation, data as Place, submitOn)
    if (written !== undefined) this.#settle(written)
    return events
  }

  /** Refuses what would grow the store while the medium is nearly full. @throws StorageError `NoSpace`. */
  async assertRoom(): Promise<void> {
    this.owner.assertOpen()
    if (this.owner.failure !== undefined) throw this.owner.failure
    if (await this.ports.reserve?.exhausted()) {
      throw new StorageError(
        'NoSpace',
        'The disk is nearly full: the store refuses writes that need more room. Free some; reads and deletes work.',
      )
    }
  }

  /**
   * Writes bytes and gives them to `commit`, which names them in a command. If that is refused the bytes go at once;
   * if its outcome is unknown they stay, until the store is opened again, which settles it.
   */
  async withContent<R>(
    source: ByteSource,
    intake: Intake,
    commit: (written: WrittenContent) => Promise<R>,
  ): Promise<R> {
    await this.assertRoom()
    const written = await this.#write(source, intake)
    try {
      intake.signal?.throwIfAborted()
      return await commit(written)
    } catch (error) {
      // What cannot be discarded now is an orphan, which the sweep finds; the caller hears of the refusal.
      const isRefused = !this.#settled.has(written) && this.owner.failure === undefined
      if (isRefused) await this.#discard(written).catch(() => undefined)
      throw error
    }
  }

  /**
   * A medium that failed an I/O has to be looked at: the store stops taking writes. Failures that are only this
   * request's, such as too many open files, pass through.
   */
  stopOnMediumFailure(error: unknown): unknown {
    if (!isStorageError(error, 'BlobFailed')) return error
    const { errno, kind } = error.details
    return outOfOrder.has(errno) || kind === 'directory' ? this.owner.fail(error) : error
  }

  async #write(source: ByteSource, { algorithms, signal, protection }: Intake) {
    const { blobs, hashing, ids } = this.ports
    const { inlineMax } = this.#options
    const turn = () => {
      this.#turns.spend(1)
      return this.#turns.wait()
    }
    const options = { blobs, hashing, ids, inlineMax, inFlight: this.owner.inFlight, seal: protection?.seal, turn }
    try {
      return await writeContent(options, source, algorithms, signal)
    } catch (error) {
      throw this.stopOnMediumFailure(error)
    }
  }

  #discard({ content }: WrittenContent): Promise<void> {
    return discardContent({ blobs: this.ports.blobs, inFlight: this.owner.inFlight }, content)
  }

  /** A commit names it: whatever fails from now on, its bytes stay. */
  #settle(written: WrittenContent): void {
    const { content } = written
    this.#settled.add(written)
    if (content.kind === 'blob' && !content.blob.inline) this.owner.inFlight.delete(content.blob.id)
  }
}

/** The event of one type among those a command caused. */
export const findEvent = <T extends EventType>(
  events: readonly RecordedEvent[],
  type: T,
): RecordedEvent<T> | undefined => events.find((event) => event.type === type) as RecordedEvent<T> | undefined
