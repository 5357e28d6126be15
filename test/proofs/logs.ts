/** Logs that could be taken for each other: one, a fork of it with the same key, and that of another store. */
import { cp } from 'node:fs/promises'
import {
  checkCheckpoint,
  checkErasureReceipt,
  checkLogConsistency,
  checkProof,
  type LogKey,
  memoryStore,
  openStore,
  type Store,
} from 'varve'

export type Kind = 'inclusion' | 'erasure' | 'checkpoint' | 'consistency'

/** A text that a log gave out. */
export interface Item {
  readonly kind: Kind
  readonly text: string
  /** For a proof of consistency: the checkpoint that it begins with. */
  readonly earlier?: string
}

export interface Logs {
  /** The key of the base and of the fork. */
  readonly key: LogKey
  readonly base: readonly Item[]
  /** Begins with the items of before the fork. */
  readonly fork: readonly Item[]
  readonly stranger: { readonly key: LogKey; readonly items: readonly Item[] }
  /** Another key under the name of the base. */
  readonly renewed: LogKey
}

export function check({ kind, text, earlier = '' }: Item, key: LogKey): Promise<unknown> {
  if (kind === 'inclusion') return checkProof(text, key)
  if (kind === 'erasure') return checkErasureReceipt(text, key)
  return kind === 'checkpoint' ? checkCheckpoint(text, key) : checkLogConsistency({ proof: text, earlier }, key)
}

/** Copies the directory of a store to make the fork. */
export async function makeLogs(dir: string, forkDir: string): Promise<Logs> {
  const store = await openStore(dir, { controlSocket: false })
  await prepare(store)
  const common = await grow(store, 'common')
  const key = await store.proofs.key()
  await store.close()
  await cp(dir, forkDir, { recursive: true })
  const base = await grownIn(dir, 'base')
  const fork = await grownIn(forkDir, 'fork')
  const again = await openStore(forkDir, { controlSocket: false })
  const renewed = await again.proofs.renewKey({ origin: key.origin })
  await again.close()
  return { key, base: [...common, ...base], fork: [...common, ...fork], stranger: await madeByStranger(), renewed }
}

async function madeByStranger(): Promise<Logs['stranger']> {
  const store = await memoryStore()
  try {
    await prepare(store)
    const items = [...(await grow(store, 'common')), ...(await grow(store, 'base'))]
    return { key: await store.proofs.key(), items }
  } finally {
    await store.close()
  }
}

async function grownIn(dir: string, name: string): Promise<readonly Item[]> {
  const store = await openStore(dir, { controlSocket: false })
  try {
    return await grow(store, name)
  } finally {
    await store.close()
  }
}

async function prepare(store: Store): Promise<void> {
  await store.buckets.create('box')
  await store.buckets.setVersioning('box', 'Enabled')
}

/** Three rounds of writes and erasures, with all that the log says about them. */
async function grow(store: Store, name: string): Promise<readonly Item[]> {
  const items: Item[] = []
  for (let round = 0; round < 3; round++) {
    const { text: earlier, size } = await store.proofs.checkpoint()
    items.push({ kind: 'checkpoint', text: earlier })
    for (let i = 0; i <= round; i++) await store.objects.put('box', `${name}/${round}/${i}`, `${name} ${i}`)
    const { receipt = '' } = await store.objects.put('box', `${name}/${round}/last`, name, { receipt: true })
    items.push({ kind: 'inclusion', text: receipt })
    const erased = await store.erase({ bucket: 'box', prefix: `${name}/${round}/last`, live: true, receipt: true })
    items.push({ kind: 'erasure', text: erased.receipt ?? '' })
    items.push({
      kind: 'inclusion',
      text: (await store.proofs.prove({ bucket: 'box', key: `${name}/${round}/0` })).text,
    })
    items.push({ kind: 'consistency', text: (await store.proofs.consistency(size)).text, earlier })
  }
  return items
}
