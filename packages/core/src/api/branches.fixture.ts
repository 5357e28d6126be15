/** Two branches of one log: a store, and a copy of an earlier state of it that went on by itself, in an epoch. */
import { tipAt } from '../events/log.ts'
import type { Store } from './store.ts'
import { beginEpoch } from './begin-epoch.ts'
import { type MemoryPorts, memoryPorts } from './memory-ports.fixture.ts'

export const by = { id: 'ann', name: 'Ann' }

/** A copy of the journal and of the blobs. Its ids are others. */
export function copyOf(ports: MemoryPorts): MemoryPorts {
  const copy = memoryPorts()
  copy.clock.time = ports.clock.time
  copy.journal.log.push(...ports.journal.log)
  for (const [name, row] of ports.journal.rows) copy.journal.rows.set(name, row)
  for (const [id, bytes] of ports.blobs.bytes) copy.blobs.bytes.set(id, bytes)
  copiesMade++
  const mark = copiesMade.toString(16).padStart(8, '0')
  const { ids } = copy
  return { ...copy, ...(ports.secret && { secret: ports.secret }), ids: { next: () => ids.next().slice(8) + mark } }
}

let copiesMade = 0

/** Begins an epoch at the end of the log. */
export async function begin(store: Pick<Store, 'owner'>, ports: MemoryPorts) {
  const from = await tipAt(ports, ports.journal.log.length)
  return beginEpoch(store.owner, ports.ids, { from, reason: 'restored', source: 'offsite', by })
}
