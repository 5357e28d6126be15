/** The target of replicas in a schedule: each request waits until the schedule decides what becomes of it. */
import { type BlobHandle, type BlobStore, type ByteSource, type ReplicaFiles, StorageError } from '@varve/core'

/** What becomes of a request. */
export type Fate =
  /** It is carried out and answered. */
  | 'done'
  /** It fails without an effect. */
  | 'failed'
  /** It is carried out, and its answer is lost. */
  | 'unanswered'
  /** Its sender gets an error, and it is carried out later. */
  | 'late'
  /** It leaves the first half of a file, and its sender gets an error. */
  | 'torn'
  /** Its sender gets an error, and it leaves the first half of a file later. */
  | 'torn late'

export interface Request {
  /** Whose process has sent it. */
  readonly sender: string
  settle(fate: Fate): void
}

interface Work<T> {
  /** Carries the request out. `isTorn`: only the first half of it, if it writes. */
  apply(isTorn: boolean): T
}

const ignored = (): void => undefined
const failure = (): StorageError => new StorageError('BlobFailed', 'The target does not answer.')

export class SimTarget {
  readonly files = new Map<string, Uint8Array>()
  readonly blobs = new Map<string, Uint8Array>()
  readonly pending: Request[] = []
  /** Requests whose senders have an error, and that are carried out later. */
  readonly late: (() => void)[] = []

  /** As a process sees it. */
  filesOf(sender: string): ReplicaFiles {
    return {
      create: async (name, source) => {
        const bytes = await whole(source)
        return this.#ask(sender, {
          apply: (isTorn) => this.#create(name, isTorn ? bytes.subarray(0, bytes.length / 2) : bytes),
        })
      },
      read: (name, range) => this.#ask(sender, { apply: () => this.files.get(name)?.slice(range?.start, range?.end) }),
      list: (prefix) => this.#list(sender, prefix),
      delete: (names) =>
        this.#ask(sender, {
          apply: () => {
            for (const name of names) this.files.delete(name)
          },
        }),
    }
  }

  blobsOf(sender: string): BlobStore {
    return {
      write: async (id, source) => {
        const bytes = await whole(source)
        return this.#ask(sender, {
          apply: (isTorn) => {
            if (!isTorn) this.blobs.set(id, bytes)
            return bytes.length
          },
        })
      },
      open: (id) => this.#ask(sender, { apply: () => handleOf(this.blobs.get(id)) }),
      delete: (ids) =>
        this.#ask(sender, {
          apply: () => {
            for (const id of ids) this.blobs.delete(id)
          },
        }),
      list: () => emptyList(),
      discardUnfinished: async () => 0,
      close: async () => undefined,
    }
  }

  /** As it is now, to be judged. */
  get seen(): { readonly files: ReplicaFiles; readonly blobs: BlobStore } {
    const now = new SimTarget()
    for (const [name, bytes] of this.files) now.files.set(name, bytes)
    for (const [id, bytes] of this.blobs) now.blobs.set(id, bytes)
    now.#ask = async (_sender, work) => work.apply(false)
    return { files: now.filesOf('judge'), blobs: now.blobsOf('judge') }
  }

  #create(name: string, bytes: Uint8Array): boolean {
    if (this.files.has(name)) return false
    this.files.set(name, bytes)
    return true
  }

  async *#list(sender: string, prefix: string) {
    const found = await this.#ask(sender, {
      apply: () => [...this.files].filter(([name]) => name.startsWith(prefix)).sort(([a], [b]) => (a < b ? -1 : 1)),
    })
    for (const [name, { length }] of found) yield { name, size: length }
  }

  #ask = <T>(sender: string, { apply }: Work<T>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const applied = async (isTorn = false): Promise<T> => apply(isTorn)
      const settle = (fate: Fate): void => {
        this.pending.splice(this.pending.indexOf(request), 1)
        if (fate === 'done') return resolve(applied())
        if (fate === 'unanswered') applied().catch(ignored)
        if (fate === 'torn') applied(true).catch(ignored)
        if (fate === 'late') this.late.push(() => void applied().catch(ignored))
        if (fate === 'torn late') this.late.push(() => void applied(true).catch(ignored))
        reject(failure())
      }
      const request: Request = { sender, settle }
      this.pending.push(request)
    })
}

async function whole(source: ByteSource): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of source) chunks.push(Uint8Array.from(chunk))
  return Uint8Array.from(Buffer.concat(chunks))
}

function handleOf(bytes: Uint8Array | undefined): BlobHandle {
  if (bytes === undefined) throw new StorageError('BlobMissing', 'There is no such blob.')
  return {
    size: bytes.length,
    read: async (into, start) => into.set(bytes.subarray(start, start + into.length)),
    close: async () => undefined,
  }
}

async function* emptyList(): AsyncGenerator<string> {}
