/** What must be in a store after its writer was killed, given what the writer said. */
import type { VarveStore } from 'varve'
import { bodyOf, buckets, type Said } from './load.ts'

/** What a key of the plain bucket holds: the number of a body, or nothing. */
type Held = number | undefined

export class Expectations {
  /** Per key: what was acknowledged last, and what was under way at the end. */
  readonly #plain = new Map<string, { acknowledged: Held; underWay: Held[] }>()
  readonly #versions: { key: string; number: number; versionId: string }[] = []
  acknowledged = 0

  hear(said: Said): void {
    if (said.what === 'did') this.acknowledged++
    if (said.action === 'version') {
      const { key, number, versionId } = said
      if (versionId !== undefined) this.#versions.push({ key, number, versionId })
      return
    }
    const held = said.action === 'delete' ? undefined : said.number
    const known = this.#plain.get(said.key) ?? { acknowledged: undefined, underWay: [] }
    if (said.what === 'will') known.underWay.push(held)
    else this.#plain.set(said.key, { acknowledged: held, underWay: [] })
    if (said.what === 'will') this.#plain.set(said.key, known)
  }

  /** Lines about what was lost or wrong; none is what we want. What is found becomes what is known. */
  async audit(store: VarveStore): Promise<string[]> {
    const wrong: string[] = []
    for (const [key, { acknowledged, underWay }] of this.#plain) {
      const found = await read(store, buckets.plain, key)
      const allowed = [acknowledged, ...underWay]
      const match = allowed.find((number) => (number === undefined ? undefined : bodyOf(number)) === found)
      if (match === undefined && found !== undefined) wrong.push(`${key}: holds none of ${allowed.join(', ')}`)
      if (found === undefined && !allowed.includes(undefined)) wrong.push(`${key}: lost ${allowed.join(', ')}`)
      this.#plain.set(key, { acknowledged: match, underWay: [] })
    }
    for (const { key, number, versionId } of this.#versions) {
      if ((await read(store, buckets.versioned, key, versionId)) !== bodyOf(number)) {
        wrong.push(`${key} version ${versionId}: lost or wrong`)
      }
    }
    return wrong
  }
}

async function read(store: VarveStore, bucket: string, key: string, versionId?: string): Promise<string | undefined> {
  try {
    const object = await store.objects.get(bucket, key, versionId === undefined ? {} : { versionId })
    return await object.text()
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'NoSuchKey' || error.code === 'NoSuchVersion')) {
      return undefined
    }
    throw error
  }
}
