/** How a store names what commands created. The model uses the command's name, a store uses its own ids and ETags. */
import { createHash } from 'node:crypto'
import { nullVersionId, type Store, uploadId, versionId } from '@varve/core'

/** What no store has made: well formed, far beyond the end of any log. */
const nowhere = 2 ** 40

export class Bindings {
  readonly #versions: Map<string, string>
  readonly #names: Map<string, string>
  readonly #uploads: Map<string, string>
  readonly #etags: Map<string, string>

  /** Begins with those of another. */
  constructor(like?: Bindings) {
    this.#versions = new Map(like === undefined ? [] : like.#versions)
    this.#names = new Map(like === undefined ? [] : like.#names)
    this.#uploads = new Map(like === undefined ? [] : like.#uploads)
    this.#etags = new Map(like === undefined ? [] : like.#etags)
  }

  /** The first binding of an id stays: a completion that is repeated answers the version of the first. */
  bindVersion(name: string, id: string): void {
    if (id === nullVersionId || this.#names.has(id)) return
    this.#versions.set(name, id)
    this.#names.set(id, name)
  }

  bindUpload(name: string, id: string): void {
    this.#uploads.set(name, id)
  }

  bindEtag(name: string, etag: string): void {
    this.#etags.set(name, etag)
  }

  version(ref: string): string {
    if (ref === nullVersionId) return nullVersionId
    return this.#versions.get(ref) ?? versionId({ seq: nowhere, epoch: undefined, nullVersion: false })
  }

  /** What the model calls a version of the store. */
  ref(id: string): string {
    return id === nullVersionId ? nullVersionId : (this.#names.get(id) ?? `unknown ${id}`)
  }

  upload(name: string): string {
    return this.#uploads.get(name) ?? uploadId({ seq: nowhere, epoch: undefined }, new Uint8Array(15))
  }

  /** Whether the bytes that this command was to make have an ETag yet. */
  knowsEtag(name: string): boolean {
    return this.#etags.has(name)
  }

  /** Without quotes. */
  etag(name: string): string {
    return this.#etags.get(name) ?? 'f'.repeat(32)
  }
}

/** Read from the log, whose events carry the names as request ids: also for commands whose answer was never heard. */
export async function bindingsOf(store: Pick<Store, 'log' | 'uploads'>): Promise<Bindings> {
  const bindings = new Bindings()
  for await (const { seq, epoch, requestId, type, data } of store.log()) {
    const name = 'cause' in data && data.cause !== undefined && 'key' in data ? `${requestId} ${data.key}` : requestId
    if (type === 'UploadStarted') {
      const { bucket, key } = data
      bindings.bindUpload(name, await store.uploads.idOf({ bucket, key, upload: seq, epoch }))
    }
    if ('nullVersion' in data) bindings.bindVersion(name, versionId({ seq, epoch, nullVersion: data.nullVersion }))
    if ('etag' in data) bindings.bindEtag(name, data.etag)
  }
  return bindings
}

/** The ETag a store gives to what the model calls so. */
export function storedEtag(modelEtag: string): string {
  const made = JSON.parse(modelEtag) as string | readonly string[]
  if (typeof made === 'string') return md5(made).toString('hex')
  return `${md5(Buffer.concat(made.map(md5))).toString('hex')}-${made.length}`
}

const md5 = (bytes: string | Uint8Array): Buffer => createHash('md5').update(bytes).digest()
