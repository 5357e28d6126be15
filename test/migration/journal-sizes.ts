import { openStoreDirectory } from '@varve/adapters'

export type Sizes = ReadonlyMap<string, { readonly count: number; readonly bytes: number }>

const tables: Readonly<Record<number, string>> = {
  0x20: 'current',
  0x21: 'version',
  0x42: 'blob',
  0x80: 'inline bytes',
  0x81: 'data key',
}
const everything = { gte: Uint8Array.of(0), lt: Uint8Array.of(0xff) }

/** How many events and rows of each table a store has, and the bytes of their values. */
export async function journalSizes(directory: string): Promise<Sizes> {
  const sizes = new Map<string, { count: number; bytes: number }>()
  const add = (what: string, bytes: number): void => {
    const size = sizes.get(what) ?? { count: 0, bytes: 0 }
    sizes.set(what, { count: size.count + 1, bytes: size.bytes + bytes })
  }
  const store = await openStoreDirectory(directory, { create: false, acceptsOlder: true })
  try {
    for await (const { bytes } of store.journal.events()) add('event', bytes.length)
    const cursor = store.journal.cursor(everything)
    for (let page = await cursor.next(1000); page.length > 0; page = await cursor.next(1000))
      for (const [key, value] of page) add(tables[key[0] as number] ?? 'other rows', value.length)
    await cursor.close()
  } finally {
    store.markSound()
    await store.close()
  }
  return sizes
}
