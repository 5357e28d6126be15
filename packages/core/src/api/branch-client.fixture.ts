/** Random commands of one client, and what it holds afterwards. */
import fc from 'fast-check'
import type { EngineStore } from './engine-store.ts'
import type { UploadRef } from './types/index.ts'

export type Command =
  | { readonly do: 'put' | 'delete' | 'assemble' | 'start'; readonly key: string }
  | { readonly do: 'copy' | 'remove' | 'tag' | 'abort'; readonly of: number }

const key = fc.constantFrom('a', 'b')
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({ do: fc.constantFrom('put', 'delete', 'assemble', 'start'), key }),
  fc.record({ do: fc.constantFrom('copy', 'remove', 'tag', 'abort'), of: fc.nat() }),
)
export const commands = fc.array(command, { minLength: 1, maxLength: 8 })

export interface Held {
  readonly key: string
  /** Absent: a delete marker. */
  readonly body?: string
}

/** What a client of one branch holds, and what it knows of it. */
export class Client {
  readonly versions: Map<string, Held>
  readonly uploads: Map<string, UploadRef>
  readonly removed: Set<string>
  readonly #store: EngineStore
  readonly #name: string

  constructor(store: EngineStore, name: string, before?: Client) {
    this.#store = store
    this.#name = name
    this.versions = new Map(before?.versions)
    this.uploads = new Map(before?.uploads)
    this.removed = new Set(before?.removed)
  }

  async run(all: readonly Command[]): Promise<void> {
    for (const [i, one] of all.entries()) await this.#run(one, `${this.#name} ${i}`)
  }

  async #run(one: Command, body: string): Promise<void> {
    const { objects } = this.#store
    if ('of' in one) return this.#runOf(one, body)
    if (one.do === 'put') {
      const { versionId } = await objects.put('box', one.key, body)
      this.versions.set(versionId, { key: one.key, body })
    } else if (one.do === 'delete') {
      const { versionId = '' } = await objects.delete('box', one.key)
      this.versions.set(versionId, { key: one.key })
    } else await this.#upload(one, body)
  }

  async #upload({ do: what, key }: Command & { readonly key: string }, body: string): Promise<void> {
    const { uploads } = this.#store
    const upload = await uploads.create('box', key)
    const { etag } = await uploads.uploadPart(upload, 1, body)
    if (what === 'start') {
      this.uploads.set(upload.uploadId, upload)
      return
    }
    const { versionId } = await uploads.complete(upload, [{ partNumber: 1, etag }])
    this.versions.set(versionId, { key, body })
  }

  async #runOf({ do: what, of }: Command & { readonly of: number }, body: string): Promise<void> {
    if (what === 'abort') return this.#abort(of)
    const { objects, versions } = this.#store
    const [id = '', held] = pick(this.versions, of) ?? []
    if (held === undefined || this.removed.has(id)) return
    if (what === 'remove') {
      await versions.delete('box', held.key, id)
      this.removed.add(id)
    } else if (held.body !== undefined && what === 'copy') {
      const source = { bucket: 'box', key: held.key, versionId: id }
      const { versionId } = await objects.copy(source, 'box', held.key)
      this.versions.set(versionId, { key: held.key, body: held.body })
    } else if (held.body !== undefined) {
      const value = [{ key: 'by', value: body }]
      await objects.annotate('box', held.key, { kind: 'tags', value }, { versionId: id })
    }
  }

  async #abort(of: number): Promise<void> {
    const [id = '', upload] = pick(this.uploads, of) ?? []
    if (upload !== undefined) await this.#store.uploads.abort(upload)
    this.uploads.delete(id)
  }
}

function pick<T>(from: ReadonlyMap<string, T>, of: number): readonly [string, T] | undefined {
  return [...from][of % Math.max(1, from.size)]
}
