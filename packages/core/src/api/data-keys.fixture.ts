/** The stored data keys of a store in memory, for tests that look at them or damage them. */
import type { Row } from '../ports/index.ts'
import { dataKeyTable } from '../views/tables.ts'
import type { MemoryPorts } from './memory-ports.fixture.ts'

export const isDataKey = (key: Uint8Array): boolean => key[0] === 0x81

export const keyRowsOf = ({ journal }: MemoryPorts): readonly Row[] =>
  [...journal.rows.values()].filter(([key]) => isDataKey(key))

/** The blobs that have a data key. */
export const keyIdsOf = (ports: MemoryPorts): readonly string[] =>
  keyRowsOf(ports).map(([key]) => dataKeyTable.id(key) as string)

/** Replaces the data key of a blob; without a frame, removes it. */
export async function replaceKey({ journal }: MemoryPorts, blob: string, value: Uint8Array | null = null) {
  const rows = [{ key: dataKeyTable.key(blob), value }]
  await journal.commit({ expectedHead: await journal.head(), events: [], rows })
}
